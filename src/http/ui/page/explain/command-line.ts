/** A command line to copy into a shell. */
export interface CommandLine {
  /** The command, as in `kv get`. */
  readonly command: string
  /** Flags and operands. Names come from the cluster and from addresses, so each is quoted at need. */
  readonly words: readonly string[]
}

export function commandLine(command: string, ...words: readonly string[]): CommandLine {
  return { command, words }
}

/** Commands that ask an agent about itself, and know no other datacenter. */
const ofAgents: ReadonlySet<string> = new Set(['acl set-agent-token', 'maint', 'members', 'rtt'])

/** `datacenter`: the one that the page shows; empty: that of the agent. */
export function commandText(program: string, { command, words }: CommandLine, datacenter: string): string {
  const flag = datacenter === '' || ofAgents.has(command) ? [] : [`-datacenter=${datacenter}`]
  return [program, command, ...[...flag, ...words].map(shellWord)].join(' ')
}

export function shellWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
