import { exits, type SimTerminal } from '../terminal.ts'

/** Says what is wrong, a line each; the result is the exit code. */
export function refused(lines: readonly string[], { error }: Pick<SimTerminal, 'error'>): number {
  for (const line of lines) error(`${line}\n`)
  return exits.usage
}
