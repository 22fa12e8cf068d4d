/** The cause of a failure as one line: its message and those of its causes, each once, without a stack. */
export function causeText(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const { message } = current;
    if (!parts.some((part) => part.includes(message))) parts.push(message);
    current = current.cause;
  }
  return parts.length === 0 ? String(error) : parts.join(': caused by: ');
}
