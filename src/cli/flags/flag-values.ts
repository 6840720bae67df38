import type { Invocation } from '../command.ts'

/** What a flag of text says; empty where it was not given. */
export function textFlag({ flags }: Pick<Invocation, 'flags'>, name: string): string {
  const value = flags.get(name)
  return typeof value === 'string' ? value : ''
}

/** What a flag says that may be given several times. */
export function listFlag({ flags }: Pick<Invocation, 'flags'>, name: string): readonly string[] {
  const value = flags.get(name)
  return Array.isArray(value) ? value : []
}
