import { exits, type SimTerminal } from '../terminal.ts'

/** Prints what is wrong, one line for each problem; returns the exit code. */
export function refused(lines: readonly string[], { error }: Pick<SimTerminal, 'error'>): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
