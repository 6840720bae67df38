/** A command line to copy into a shell. */
export interface CommandLine {
  /** The command, as in `kv get`. */
  readonly command: string
  readonly flags: readonly string[]
  readonly operands: readonly string[]
}

/** Names come from the cluster and from addresses: in a flag, a name follows `=`. */
export function commandLine(command: string, ...flags: readonly string[]): CommandLine {
  return { command, flags, operands: [] }
}

/** A name that begins with a dash is no flag of the command there. */
export function withOperands(line: CommandLine, ...operands: readonly string[]): CommandLine {
  return { ...line, operands }
}

/** Commands that ask an agent about itself, and know no other datacenter. */
const ofAgents: ReadonlySet<string> = new Set(['acl set-agent-token', 'maint', 'members', 'rtt'])

/** `datacenter`: the one that the page shows; empty: that of the agent. */
export function commandText(program: string, { command, flags, operands }: CommandLine, datacenter: string): string {
  const flag = datacenter === '' || ofAgents.has(command) ? [] : [`-datacenter=${datacenter}`]
  const mark = operands.some((operand) => operand.startsWith('-')) ? ['--'] : []
  return [program, command, ...[...flag, ...flags, ...mark, ...operands].map(shellWord)].join(' ')
}

export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
