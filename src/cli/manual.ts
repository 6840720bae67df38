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
    '.SH ENVIRONMENT',
    ...environment.flatMap(([names, meaning]) => ['.TP', `.B ${escaped(names)}`, line(meaning)]),
    '',
  ].join('\n')
  return toldUnder(naming, page)
}

/** What commands read of the environment. Reference: command-line.md#environment. */
const environment = [
  ['SVC_HTTP_ADDR', 'Address of the agent, where -http-addr is not given.'],
  ['SVC_HTTP_TOKEN, SVC_HTTP_TOKEN_FILE', 'ACL token, or the file that holds it.'],
  ['SVC_HTTP_SSL', 'true: HTTPS, where the address has no scheme.'],
  ['SVC_HTTP_SSL_VERIFY', 'false: the certificate of the agent is not verified.'],
  ['SVC_HTTP_AUTH', 'USER[:PASSWORD] for basic authentication, which a proxy in front of the agent may demand.'],
  [
    'SVC_CACERT, SVC_CAPATH, SVC_CLIENT_CERT, SVC_CLIENT_KEY, SVC_TLS_SERVER_NAME',
    'TLS, as the flags -ca-file, -ca-path, -client-cert, -client-key and -tls-server-name.',
  ],
  ['SVC_PROFILE, SVC_PROFILES', 'A cluster by its name, and the file that has clusters by name.'],
  ['SVC_CONFIRM', 'always: commands that can destroy something do nothing without -force.'],
  ['NO_COLOR', 'If it is set, tables have no colours.'],
] as const

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
