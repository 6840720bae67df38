import { productName } from '../../model/names.ts'
import { misused } from '../api/client.ts'
import { type CliCommand, type CommandTree, wordsAfter } from '../command.ts'

/** Shells that can be told what may be written where. */
export const shells = ['bash', 'zsh', 'fish'] as const

type Shell = (typeof shells)[number]

/** The program of the shell that completes commands, their words and flags; files where an operand is due. */
export function completionScript(shell: Shell, tree: CommandTree): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](tree)
}

interface Choice {
  readonly word: string
  readonly about: string
  /** A flag that a value follows. */
  readonly takesValue: boolean
}

interface Place {
  /** The words before the one to complete, without flags. */
  readonly words: readonly string[]
  readonly choices: readonly Choice[]
  /** Operands may follow: the place is the same after them. */
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
    (command): Place => ({ words: command.path, choices: flagsOf(command), operands: true }),
  )
  return [...inner, ...leaves].sort((a, b) => b.words.length - a.words.length)
}

function flagsOf({ flags }: CliCommand): readonly Choice[] {
  return flags.map(({ name, kind, help }) => ({ word: `-${name}`, about: help, takesValue: kind !== 'bool' }))
}

function bashScript(tree: CommandTree): string {
  const cases = placesOf(tree).map(({ words, choices, operands }) => {
    const pattern = operands ? `"${words.join(' ')}"|"${words.join(' ')} "*` : `"${words.join(' ')}"`
    return `    ${pattern}) words="${choices.map(({ word }) => word).join(' ')}" ;;\n`
  })
  return `# Completion of ${productName} for bash: source <(${productName} completion bash)
_${productName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  case "$path" in
${cases.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${productName} ${productName}
`
}

function zshScript(tree: CommandTree): string {
  const cases = placesOf(tree).map(({ words, choices, operands }) => {
    const path = words.join('\\ ')
    const pattern = operands ? `${path}|${path}\\ *` : words.length === 0 ? "''" : path
    const lines = choices.map(({ word, about }) => `      ${quoted(`${word.replaceAll(':', '\\:')}:${about}`)}\n`)
    return `    ${pattern})\n      choices=(\n${lines.join('')}      )\n      ;;\n`
  })
  return `#compdef ${productName}
# Completion of ${productName} for zsh: source <(${productName} completion zsh)
_${productName}() {
  local -a choices
  local word typed=
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    typed="\${typed:+$typed }$word"
  done
  case "$typed" in
${cases.join('')}  esac
  _describe ${productName} choices || _files
}
compdef _${productName} ${productName}
`
}

function fishScript(tree: CommandTree): string {
  const lines = placesOf(tree).flatMap(({ words, choices, operands }) => {
    const condition = `__${productName}_${operands ? 'within' : 'at'} ${words.join(' ')}`.trimEnd()
    return choices.map(({ word, about, takesValue }) => {
      const what = word.startsWith('-') ? `-o ${word.slice(1)}${takesValue ? ' -r' : ''}` : `-f -a ${word}`
      return `complete -c ${productName} -n ${quoted(condition)} ${what} -d ${quoted(about)}\n`
    })
  })
  return `# Completion of ${productName} for fish: ${productName} completion fish | source
function __${productName}_words
  for word in (commandline -opc)[2..]
    string match -q -- '-*' $word; and break
    echo $word
  end
end
function __${productName}_at
  set -l words (__${productName}_words)
  test "$words" = "$argv"
end
function __${productName}_within
  set -l words (__${productName}_words)
  string match -q -- "$argv *" "$words "
end
${lines.join('')}`
}

/** As a shell word in which no character has a special meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function completionCommand(tree: () => CommandTree): CliCommand {
  return {
    path: ['completion'],
    summary: 'Prints a program for a shell that completes what is typed',
    operands: shells.join('|'),
    about: `For bash, in ~/.bashrc: source <(${productName} completion bash). For fish: ${productName} completion fish | source.`,
    flags: [],
    run(invocation) {
      const { args, terminal } = invocation
      const shell = shells.find((name) => name === args[0])
      if (shell === undefined || args.length > 1) {
        return Promise.resolve(misused(invocation, `One shell must be named: ${shells.join(', ')}.`))
      }
      terminal.out(completionScript(shell, tree()))
      return Promise.resolve(0)
    },
  }
}
