import { type Json, writeJson } from '../base/json.ts'
import type { CommandFlag, Invocation } from './command.ts'

/** How a command that lists something prints it. `table`: for people, the default, as the field's commands do. */
const formats = ['table', 'pretty', 'json'] as const

export const formatFlag: CommandFlag = {
  name: 'format',
  kind: 'text',
  value: '<table|pretty|json>',
  choices: formats,
  help: 'The format: table for people, json for programs, pretty for JSON on many lines. Default: table.',
}

/** Of a command that reports a judgement, which has no table. */
export const reportFormatFlag: CommandFlag = {
  name: 'format',
  kind: 'text',
  value: '<text|json>',
  choices: ['text', 'json'],
  help: 'The format: text for people, json for programs. Default: text.',
}

export function isTable({ flags }: Pick<Invocation, 'flags'>): boolean {
  return (flags.get('format') ?? 'table') === 'table'
}

/** Prints what was listed, under the names of the API unless as a table. */
export function printListing(invocation: Invocation, listed: Json, table: string | (() => string)): void {
  const { flags, terminal } = invocation
  if (isTable(invocation)) terminal.out(typeof table === 'string' ? table : table())
  else terminal.out(`${writeJson(listed, flags.get('format') === 'pretty').trimEnd()}\n`)
}
