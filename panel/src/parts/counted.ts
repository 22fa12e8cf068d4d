/** "1 line", "2 lines", "1,234 lines". @param plural if not the word with an s */
export function counted(count: number, word: string, plural = `${word}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? word : plural}`;
}
