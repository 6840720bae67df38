import { Command, CommanderError } from 'commander'
import { nearest } from '../base/edit-distance.ts'
import type { Env } from '../env/env.ts'
import type { Terminal } from '../env/terminal.ts'
import { type Naming, namingOfProgram } from '../model/naming/naming.ts'
import { toldUnder } from '../model/naming/told.ts'
import { type CliCommand, type CommandFlag, type FlagValue, wordsAfter } from './command.ts'
import { commandTree } from './command-list.ts'
import { readableAgain } from './files/read-again.ts'
import { asksForHelp, flagBehindOperands, helpFlags, rewriteGoFlags } from './flags/go-flags.ts'
import { passesGuard } from './guards/guard.ts'

const { commands, groups } = commandTree

/** Removed commands, and what to write instead. Spec: CLI-008. */
const removed: ReadonlyMap<string, string> = new Map([['configtest', `it was removed in 1.0, use 'svc validate'`]])

/** Runs one command line to its end and gives the exit code. Reference: command-line.md#general. */
export async function runCli(argv: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  const naming = namingOfProgram(terminal.programName ?? '')
  if (argv[0] === '--version' || argv[0] === '-version' || argv[0] === '-v') return runCli(['version'], env, terminal)
  const [, flag] = /^--?autocomplete-((?:un)?install)$/.exec(argv[0] ?? '') ?? []
  if (flag !== undefined) return runCli(['completion', `-${flag}`], env, terminal)
  const words = argv.findIndex((word) => word.startsWith('-'))
  const path = argv.slice(0, words < 0 ? argv.length : words)
  const command = commands.find((each) => each.path.every((word, at) => path[at] === word))
  if (command === undefined) return showGroup(argv, path, terminal, naming)
  return runCommand(command, argv.slice(command.path.length), naming, env, terminal)
}

async function runCommand(
  command: CliCommand,
  rest: readonly string[],
  naming: Naming,
  env: Env,
  terminal: Terminal,
): Promise<number> {
  const program = commanderFor(command, naming, terminal)
  if (asksForHelp(rest, command.flags)) {
    terminal.out(program.helpInformation())
    return 0
  }
  const flags = parsedFlags(command, rest, program, terminal)
  if (flags === undefined) return command.mistakenCode ?? 1
  const given = command.path[0] === 'agent' ? env : { ...env, disk: readableAgain(env.disk) }
  const invocation = {
    ...{ naming, env: given, terminal, flags, args: program.args },
    // Laid out only where it is printed: that takes longer than many a command.
    get help() {
      return program.helpInformation()
    },
  }
  if (command.guard !== undefined && !(await passesGuard(invocation, command.guard))) return 1
  return command.run(invocation)
}

/** The flags as they were written; undefined after a mistake, which was printed. */
function parsedFlags(
  command: CliCommand,
  rest: readonly string[],
  program: Command,
  terminal: Terminal,
): ReadonlyMap<string, FlagValue> | undefined {
  const mistaken = (text: string, before = '\n'): undefined => {
    terminal.error(`${text}${before}${program.helpInformation()}`)
    return undefined
  }
  const rewritten = rewriteGoFlags(rest, command.flags)
  if (!rewritten.ok) return mistaken(rewritten.error)
  const misplaced = command.runsOperands === true ? undefined : flagBehindOperands(rest, command.flags)
  if (misplaced !== undefined) {
    const remedy = 'write it before them, or write -- before arguments that are not flags'
    return mistaken(`flag after the arguments: -${misplaced}: ${remedy}`)
  }
  try {
    program.parse([...rewritten.value], { from: 'user' })
  } catch (cause) {
    if (cause instanceof CommanderError) return undefined
    throw cause
  }
  const flags = new Map([...flagValues(program, command.flags), ...togetherIn(rewritten.value, command.flags)])
  const wrong = wrongChoice(command.flags, flags)
  return wrong === undefined ? flags : mistaken(wrong, '\n\n')
}

function commanderFor(command: CliCommand, naming: Naming, terminal: Terminal): Command {
  const about = [`${command.summary}.`, command.about ?? ''].filter((text) => text !== '').join('\n')
  const program = new Command(`${naming.name} ${command.path.join(' ')}`)
    .description(toldUnder(naming, about))
    .usage(`[options]${command.operands === '' ? '' : ` ${command.operands}`}`)
    .helpOption(false)
    .exitOverride()
    .showSuggestionAfterError(false)
    .allowExcessArguments(true)
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.error(text) })
    .configureHelp({
      helpWidth: 100,
      optionTerm: (option) => optionTerm(command.flags, option.attributeName(), option.long),
    })
  for (const flag of command.flags) addFlag(program, { ...flag, help: toldUnder(naming, flag.help) })
  return program
}

function addFlag(program: Command, flag: CommandFlag): void {
  const heading = flag.standing ? 'HTTP API Options:' : 'Command Options:'
  const add = (term: string, collect?: (value: string, before: readonly string[] | undefined) => readonly string[]) => {
    const option = program.createOption(term, flag.help).helpGroup(heading)
    program.addOption(collect === undefined ? option : option.argParser(collect))
  }
  if (flag.kind === 'bool') {
    add(`--${flag.name}`)
    program.addOption(program.createOption(`--no-${flag.name}`).hideHelp())
    return
  }
  const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    value,
  ]
  const term = `--${flag.name} ${flag.value ?? '<value>'}`
  add(term, flag.kind === 'list' || flag.kind === 'pairs' ? collect : undefined)
}

function optionTerm(flags: readonly CommandFlag[], _attribute: string, long: string | undefined): string {
  const name = (long ?? '').slice(2)
  const flag = flags.find((each) => each.name === name)
  return flag?.value === undefined ? `-${name}` : `-${name}=${flag.value}`
}

function flagValues(program: Command, flags: readonly CommandFlag[]): ReadonlyMap<string, FlagValue> {
  const values = new Map<string, FlagValue>()
  const parsed = program.opts<Record<string, FlagValue | undefined>>()
  for (const flag of flags) {
    // Commander reads `no-merge` as the negation of `merge`.
    const isNegative = flag.name.startsWith('no-')
    const attribute = attributeOf(isNegative ? flag.name.slice('no-'.length) : flag.name)
    const value = isNegative ? parsed[attribute] === false : parsed[attribute]
    // Commander gives a bool that has a negation the default `true`: only what was written counts.
    if (value !== undefined && program.getOptionValueSource(attribute) === 'cli') values.set(flag.name, value)
  }
  return values
}

/** The values of flags that are also read together. */
function togetherIn(
  rewritten: readonly string[],
  declared: readonly CommandFlag[],
): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, readonly string[]>()
  for (const argument of rewritten) {
    if (argument === '--') break
    const name = declared.find((flag) => argument.startsWith(`--${flag.name}=`))?.together
    if (name !== undefined) values.set(name, [...(values.get(name) ?? []), argument.slice(2)])
  }
  return values
}

/** The first flag whose value is not among its choices. */
function wrongChoice(declared: readonly CommandFlag[], given: ReadonlyMap<string, FlagValue>): string | undefined {
  for (const { name, choices } of declared) {
    const value = given.get(name)
    if (choices === undefined || typeof value !== 'string' || choices.includes(value)) continue
    const known = `${choices.slice(0, -1).join(', ')} or ${choices.at(-1) ?? ''}`
    return `There is no ${name} ${JSON.stringify(value)}: write ${known}`
  }
  return undefined
}

function attributeOf(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Used if no command matches: shows the help of the named group, or of the whole program. */
function showGroup(argv: readonly string[], path: readonly string[], terminal: Terminal, naming: Naming): number {
  const group =
    [path.slice(0, 2), path.slice(0, 1)].map((words) => words.join(' ')).find((name) => Object.hasOwn(groups, name)) ??
    ''
  const asked = helpFlags.includes(argv[group === '' ? 0 : group.split(' ').length] ?? '')
  const prefix = group === '' ? [] : group.split(' ')
  const entries = wordsAfter(commandTree, prefix)
  const unknown = path[prefix.length]
  const width = Math.max(...[...entries.keys()].map((name) => name.length))
  const lines = [...entries].map(([name, summary]) => `    ${name.padEnd(width)}    ${toldUnder(naming, summary)}\n`)
  const usage = `Usage: ${[naming.name, ...prefix].join(' ')} [--version] [--help] <command> [<args>]\n`
  const text = `${group === '' ? '' : `${toldUnder(naming, groups[group] ?? '')}.\n\n`}${usage}\nAvailable commands are:\n${lines.join('')}`
  if (asked) {
    terminal.out(text)
    return 0
  }
  if (unknown !== undefined) {
    const name = [...prefix, unknown].join(' ')
    const meant = nearest(unknown, [...entries.keys()])
    const instead = removed.get(name) ?? (meant === undefined ? '' : `did you mean '${[...prefix, meant].join(' ')}'?`)
    terminal.error(`unknown command: ${name}${instead === '' ? '' : `: ${toldUnder(naming, instead)}`}\n\n`)
  }
  terminal.error(text)
  return 1
}
