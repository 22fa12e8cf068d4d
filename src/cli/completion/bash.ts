import { everyVerb, type TreeVerb } from '../tree.ts';

/** Needs nothing of the package bash-completion. */
export function bashScript(tree: TreeVerb): string {
  const verbs = [...everyVerb(tree)];
  const paths = verbs.filter(({ words }) => words.length > 0).map(({ words }) => quoted(pathOf(words)));
  const values = verbs.flatMap((verb) =>
    verb.options
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) => valueCase(pathOf(verb.words), names, choices)),
  );
  const words = verbs.map((verb) => {
    const offered = [...verb.verbs.map(({ words }) => words.at(-1)!), ...verb.options.flatMap(({ names }) => names)];
    return `    ${quoted(pathOf(verb.words))}) offered=${quoted(offered.join(' '))} ;;`;
  });
  const files = verbs.filter(({ takesFile }) => takesFile).map(({ words }) => quoted(pathOf(words)));
  return `# bash completion of proxy-manager, made by: proxy-manager completion bash
_proxy_manager() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb= offered= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$verb \${COMP_WORDS[i]}" in
    ${paths.join('|')}) verb="$verb \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$verb $before" in
${values.join('\n')}
  esac
  case "$verb" in
${words.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  case "$verb" in
  ${files.join('|')})
    if [[ $current != -* ]]; then
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
    fi
    ;;
  esac
}
complete -F _proxy_manager proxy-manager
`;
}

/** What follows an option that takes a value: one of its choices, or nothing that could be known. */
function valueCase(path: string, names: readonly string[], choices: readonly string[]): string {
  const before = names.map((name) => quoted(`${path} ${name}`)).join('|');
  const reply = choices.length === 0 ? '' : `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current")); `;
  return `    ${before}) ${reply}return ;;`;
}

/** Each word with a blank before it, so that none is the begin of another. */
export function pathOf(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join('');
}

/** For bash and zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
