import type { Naming } from '../model/naming/naming.ts'
import { toldUnder } from '../model/naming/told.ts'
import type { CliCommand, CommandTree } from './command.ts'

/** The manual page in the macros of man(7). */
export function manualPage({ commands }: CommandTree, release: string, naming: Naming): string {
  const page = [
    `.TH SVC 1 "" "svc ${release}" "Svc"`,
    '.SH NAME',
    `svc \\- discovery, health catalog, keys and sessions, in a cluster`,
    '.SH SYNOPSIS',
    `.B svc`,
    '.I command',
    '[\\fIoptions\\fR] [\\fIoperands\\fR]',
    '.SH DESCRIPTION',
    ...paragraphs(
      'Most commands talk to a running agent over its HTTP API. These need no agent: agent, completion, keygen, snapshot inspect, tls, validate and version.',
      'Flags take one dash or two, their value after = or as the next word, and stand before operands.',
      'A command exits with 0 on success and with 1 otherwise, unless its own section says something else.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(sectionOf),
    '',
  ].join('\n')
  return toldUnder(naming, page)
}

function sectionOf({ path, summary, operands, about, flags }: CliCommand): readonly string[] {
  const synopsis = [`.B svc ${path.join(' ')}`, ...(operands === '' ? [] : [`.I ${escaped(operands)}`])]
  const body = paragraphs(`${summary}.`, ...(about === undefined ? [] : [about]))
  const options = flags.flatMap(({ name, value, help }) => {
    const term = value === undefined ? `\\-${escaped(name)}` : `\\-${escaped(`${name}=${value}`)}`
    return ['.TP', `.B ${term}`, line(help)]
  })
  return [`.SS ${path.join(' ')}`, ...synopsis, ...body, ...options]
}

function paragraphs(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => ['.PP', line(text)])
}

/** A line of text. A dot or a quote at its beginning is escaped, because it would be read as a request. */
function line(text: string): string {
  return /^[.']/.test(text) ? `\\&${escaped(text)}` : escaped(text)
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('\n', ' ')
}
