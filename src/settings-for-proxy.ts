// The settings that a proxy needs, when others are wrong: a misspelt `PROXY_MANAGER_LISTEN` is no reason to leave the
// sites without one (ADR 0038).
import { nearestNames } from './domain/nearest-names.ts';
import { readSettings, type Settings, SettingsError, settingDefinitions } from './settings.ts';

/** They identify HAProxy, its files and its user: if one of these is wrong, nothing may be started. */
const decisive = new Set(
  [
    'PREFIX',
    'CONFIG_FILE',
    'BLOCKED_MAP',
    'TRUSTED_MAP',
    'UPSTREAMS_MAP',
    'PROXY_PROTOCOL_MAP',
    'SITES_MAP',
    'TLS_DIR',
    'MASTER_SOCKET',
    'PID_FILE',
    'PROXY_BIN',
    'SUPERVISE',
    'ATTACHED',
  ].map((name) => `PROXY_MANAGER_${name}`),
);

/** Words of those names that no other setting shares, so that `PROXY_MANAGER_MAP` counts as one of them. */
const decisiveWords = wordsOnlyIn(decisive);

/** Whether a wrong or unknown variable may be one that decides which proxy is started. */
export function decidesProxy(variable: string): boolean {
  const known = settingDefinitions.map((definition) => definition.variable);
  if (known.includes(variable)) return decisive.has(variable);
  return (
    wordsOf(variable).some((word) => decisiveWords.has(word)) ||
    nearestNames(variable, known).names.some((nearest) => decisive.has(nearest))
  );
}

/**
 * As `readSettings`, with the default in place of each wrong setting that a proxy does not need. A wrong log file
 * becomes standard output.
 * @throws SettingsError for one that HAProxy needs
 */
export function readSettingsForProxy(
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string | boolean | undefined>>,
  readFile: (path: string) => string,
): Settings {
  const variables = { ...environment };
  const options = { ...flags };
  const dropped = new Set<string>();
  for (;;) {
    try {
      return readSettings(variables, options, readFile);
    } catch (error) {
      if (!(error instanceof SettingsError) || decidesProxy(error.variable) || dropped.has(error.variable)) throw error;
      dropped.add(error.variable);
      delete variables[error.variable];
      const flag = settingDefinitions.find(({ variable }) => variable === error.variable)?.flag;
      if (flag !== undefined && flag !== null) delete options[flag];
      if (error.variable === 'PROXY_MANAGER_LOG_FILE') variables[error.variable] = '-';
    }
  }
}

function wordsOnlyIn(variables: ReadonlySet<string>): ReadonlySet<string> {
  const words = new Set([...variables].flatMap(wordsOf));
  for (const { variable } of settingDefinitions) {
    if (!variables.has(variable)) for (const word of wordsOf(variable)) words.delete(word);
  }
  return words;
}

function wordsOf(variable: string): string[] {
  return variable.replace('PROXY_MANAGER_', '').split('_');
}
