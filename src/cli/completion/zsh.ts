import { everyVerb, type TreeOption, type TreeVerb } from '../tree.ts';
import { pathOf, quoted } from './bash.ts';

/** Can lie in a folder of `fpath`, and can be sourced. */
export function zshScript(tree: TreeVerb): string {
  const verbs = [...everyVerb(tree)];
  const paths = verbs.filter(({ words }) => words.length > 0).map(({ words }) => quoted(pathOf(words)));
  const values = verbs.flatMap((verb) =>
    verb.options.filter(({ takesValue }) => takesValue).map((option) => valueCase(pathOf(verb.words), option)),
  );
  return `#compdef proxy-manager
# zsh completion of proxy-manager, made by: proxy-manager completion zsh
_proxy_manager() {
  local verb='' word
  local -a verbs options
  for word in \${words[2,CURRENT-1]}; do
    case "$verb $word" in
    ${paths.join('|')}) verb="$verb $word" ;;
    esac
  done
  case "$verb \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$verb" in
${verbs.map(verbCase).join('\n')}
  esac
  if [[ \${words[CURRENT]} != -* ]] && (( \${#verbs} )); then
    _describe -t verbs verb verbs
  else
    _describe -o -t options option options
  fi
}
if [[ \${funcstack[1]} == _proxy-manager ]]; then
  _proxy_manager "$@"
else
  compdef _proxy_manager proxy-manager
fi
`;
}

function verbCase(verb: TreeVerb): string {
  const verbs = verb.verbs.map(({ words, says }) => quoted(described(words.at(-1)!, says)));
  const options = verb.options.flatMap(({ names, says }) => names.map((name) => quoted(described(name, says))));
  const files = verb.takesFile ? `\n      [[ \${words[CURRENT]} == -* ]] || { _files; return; }` : '';
  return `    ${quoted(pathOf(verb.words))})
      verbs=(${verbs.join(' ')})
      options=(${options.join(' ')})${files}
      ;;`;
}

function valueCase(path: string, { names, choices }: TreeOption): string {
  const before = names.map((name) => quoted(`${path} ${name}`)).join('|');
  const reply = choices.length === 0 ? '' : `compadd ${choices.join(' ')}; `;
  return `    ${before}) ${reply}return ;;`;
}

/** `name:what it is`. */
function described(name: string, says: string): string {
  return `${name.replaceAll(':', '\\:')}:${says}`;
}
