/**
 * The environment of a program that we start. None of our settings goes with it: the key among them would stand in its
 * `/proc/<pid>/environ` and in its core dump, and a configuration could quote it ("${PROXY_MANAGER_API_KEY}").
 */
export function childEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PROXY_MANAGER_')));
}
