import type { Naming } from '../../model/naming/naming.ts'
import { toldUnder } from '../../model/naming/told.ts'
import { failed, misused } from '../api/client.ts'
import { type CliCommand, type CommandTree, type Invocation, wordsAfter } from '../command.ts'
import type { Shell } from '../files/shell-files.ts'

/** Shells for which a completion program can be printed. */
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

/** The program of the shell that completes commands, their words and flags; files where an operand is due. */
export function completionScript(shell: Shell, tree: CommandTree, naming: Naming): string {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]
  return toldUnder(naming, script(tree, naming.name))
}

interface Choice {
  readonly word: string
  readonly about: string
  /** Flags that are followed by a value. */
  readonly takesValue: boolean
}

interface Place {
  /** The words before the one to complete, without flags. */
  readonly words: readonly string[]
  readonly choices: readonly Choice[]
  /** Whether operands may follow: they do not change which words and flags may come next. */
  readonly operands: boolean
}

/** Every place in a command line where there is a choice, the longest words first. */
function placesOf(tree: CommandTree): readonly Place[] {
  const groups = ['', ...Object.keys(tree.groups)].map((name) => name.split(' ').filter((word) => word !== ''))
  const inner = groups.map((words): Place => {
    const choices = [...wordsAfter(tree, words)].map(([word, about]) => ({ word, about, takesValue: false }))
    return { words, choices, operands: false }
  })
  const leaves = tree.commands.map(
    (command): Place => ({
      words: command.path,
      choices: [...operandsOf(command), ...flagsOf(command)],
      operands: true,
    }),
  )
  return [...inner, ...leaves].sort((a, b) => b.words.length - a.words.length)
}

/** The words of which the operand is one, where the command lists them: `[bash|zsh|fish]`. */
function operandsOf({ operands, summary }: CliCommand): readonly Choice[] {
  const listed = /^\[?([a-z]+(?:\|[a-z]+)+)\]?$/.exec(operands)?.[1] ?? ''
  const words = listed.split('|').filter((word) => word !== '')
  return words.map((word) => ({ word, about: summary, takesValue: false }))
}

function flagsOf({ flags }: CliCommand): readonly Choice[] {
  return flags.map(({ name, kind, help }) => ({ word: `-${name}`, about: help, takesValue: kind !== 'bool' }))
}

function bashScript(tree: CommandTree, name: string): string {
  const cases = placesOf(tree).map(({ words, choices, operands }) => {
    const pattern = operands ? `"${words.join(' ')}"|"${words.join(' ')} "*` : `"${words.join(' ')}"`
    return `    ${pattern}) words="${choices.map(({ word }) => word).join(' ')}" ;;\n`
  })
  return `# Completion of ${name} for bash: source <(${name} completion bash)
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

function zshScript(tree: CommandTree, name: string): string {
  const cases = placesOf(tree).map(({ words, choices, operands }) => {
    const path = words.join('\\ ')
    const pattern = operands ? `${path}|${path}\\ *` : words.length === 0 ? "''" : path
    const lines = choices.map(({ word, about }) => `      ${quoted(`${word.replaceAll(':', '\\:')}:${about}`)}\n`)
    return `    ${pattern})\n      choices=(\n${lines.join('')}      )\n      ;;\n`
  })
  return `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh)
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_${name}() {
  local -a choices
  local word typed=
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${cases.join('')}  esac
  _describe ${name} choices || _files
}
compdef _${name} ${name}
`
}

function fishScript(tree: CommandTree, name: string): string {
  const lines = placesOf(tree).flatMap(({ words, choices, operands }) => {
    const condition = `__${name}_${operands ? 'within' : 'at'} ${words.join(' ')}`.trimEnd()
    return choices.map(({ word, about, takesValue }) => {
      const what = word.startsWith('-') ? `-o ${word.slice(1)}${takesValue ? ' -r' : ''}` : `-f -a ${word}`
      return `complete -c ${name} -n ${quoted(condition)} ${what} -d ${quoted(about)}\n`
    })
  })
  return `# Completion of ${name} for fish: ${name} completion fish | source
function __${name}_words
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    echo $word
  end
end
function __${name}_at
  set -l words (__${name}_words)
  test "$words" = "$argv"
end
function __${name}_within
  set -l words (__${name}_words)
  string match -q -- "$argv *" "$words "
end
${lines.join('')}`
}

/** The text as one word of the shell in which no character has a special meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function completionCommand(tree: () => CommandTree): CliCommand {
  return {
    path: ['completion'],
    summary: 'Prints or installs a completion script for a shell',
    operands: `[${shells.join('|')}]`,
    about:
      'With -install it adds one line to ~/.bashrc, to ~/.zshrc or to the completions of fish; new shells then complete ' +
      'commands and flags. Without a shell, -install and -uninstall mean the one in $SHELL.',
    flags: [
      { name: 'install', kind: 'bool', help: 'Make the shell load the completion when it starts.' },
      { name: 'uninstall', kind: 'bool', help: 'Remove the line that -install added.' },
    ],
    run(invocation) {
      const { args, flags, terminal } = invocation
      const [install, uninstall] = [flags.get('install') === true, flags.get('uninstall') === true]
      const used = (terminal.environment.get('SHELL') ?? '').replace(/^.*\//, '')
      const wanted = args[0] ?? (install || uninstall ? used : '')
      const shell = shells.find((name) => name === wanted)
      if (shell === undefined || args.length > 1 || (install && uninstall)) {
        return Promise.resolve(misused(invocation, `One shell must be named: ${shells.join(', ')}.`))
      }
      if (install || uninstall) return change(invocation, shell, install)
      terminal.out(completionScript(shell, tree(), invocation.naming))
      return Promise.resolve(0)
    },
  }
}

async function change(invocation: Invocation, shell: Shell, install: boolean): Promise<number> {
  const { env, naming, terminal } = invocation
  const home = terminal.environment.get('HOME') ?? ''
  if (home === '') return failed(invocation, 'Error: HOME is not set, so that the files of the shell cannot be found')
  const config = terminal.environment.get('XDG_CONFIG_HOME') || `${home}/.config`
  const { addShellLine, removeShellLine, shellFile, shellLine } = await import('../files/shell-files.ts')
  const path = shellFile(shell, naming.name, home, config)
  const changed = await (install ? addShellLine : removeShellLine)(env.disk, path, shellLine(shell, naming.name))
  if (!changed.ok) return failed(invocation, `Error changing ${path}: ${changed.error}`)
  const done = install ? `Installed in ${path}: new shells use it.` : `Removed from ${path}.`
  const idle = install ? `It is installed already in ${path}.` : `It is not installed in ${path}.`
  terminal.out(`${changed.value ? done : idle}\n`)
  return 0
}
