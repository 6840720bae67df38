import { utf8 } from '../../base/bytes.ts'
import { lacksUnit, parseDuration } from '../../base/duration.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { readAutopilot as read } from '../api/answers.ts'
import { ApiClient, failed, misused, serverFlags, surplusOperands } from '../api/client.ts'
import type { CliCommand, CommandFlag, FlagValue } from '../command.ts'

const path = '/v1/operator/autopilot/configuration'

/** The settings in the order in which they are shown: flag, member of the JSON, and how a flag writes the value. */
const settings = [
  ['cleanup-dead-servers', 'CleanupDeadServers', 'flag', 'Whether dead servers are removed.'],
  ['last-contact-threshold', 'LastContactThreshold', 'duration', 'Longest silence of a healthy server.'],
  [
    'max-trailing-logs',
    'MaxTrailingLogs',
    'number',
    'Maximum number of log entries by which a healthy server may be behind.',
  ],
  [
    'server-stabilization-time',
    'ServerStabilizationTime',
    'duration',
    'How long a new server must be healthy before it gets a vote.',
  ],
  ['redundancy-zone-tag', 'RedundancyZoneTag', 'text', 'Stored, but without effect.'],
  ['disable-upgrade-migration', 'DisableUpgradeMigration', 'flag', 'Stored, but without effect.'],
  ['upgrade-version-tag', 'UpgradeVersionTag', 'text', 'Stored, but without effect.'],
] as const

type Kind = (typeof settings)[number][2]
type Autopilot = NonNullable<ReturnType<typeof read>>

export const getAutopilotCommand: CliCommand = {
  path: ['operator', 'autopilot', 'get-config'],
  summary: 'Display the current Autopilot configuration',
  operands: '',
  flags: serverFlags,
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const read = await settingsAt(new ApiClient(invocation))
    if (!read.ok) return failed(invocation, read.error)
    for (const [, member, kind] of settings) {
      const value = read.value[member]
      invocation.terminal.out(`${member} = ${kind === 'text' ? JSON.stringify(value) : String(value)}\n`)
    }
    return 0
  },
}

export const setAutopilotCommand: CliCommand = {
  path: ['operator', 'autopilot', 'set-config'],
  summary: 'Modify the current Autopilot configuration',
  operands: '',
  about: 'Settings that are not given stay as they are. Nothing changes if another client changes them meanwhile.',
  flags: [
    ...settings.map(([name, , kind, help]): CommandFlag => {
      return kind === 'flag' ? { name, kind: 'bool', help } : { name, kind: 'text', value: `<${kind}>`, help }
    }),
    ...serverFlags,
  ],
  async run(invocation) {
    const surplus = surplusOperands(invocation, 0)
    if (surplus !== undefined) return misused(invocation, surplus)
    const given = givenSettings(invocation.flags)
    if (!given.ok) return failed(invocation, given.error)
    const client = new ApiClient(invocation)
    const before = await settingsAt(client)
    if (!before.ok) return failed(invocation, before.error)
    const { readBoolean } = await import('../api/answers.ts')
    const { CreateIndex: _, ModifyIndex, ...rest } = before.value
    const body = utf8(JSON.stringify({ ...rest, ...given.value }))
    const set = await client.expect('PUT', path, [['cas', String(ModifyIndex)]], body)
    if (!set.ok) return failed(invocation, `Error setting Autopilot configuration: ${set.error}`)
    if (readBoolean(set.value) !== true) {
      return failed(invocation, 'Configuration could not be atomically updated, please try again')
    }
    invocation.terminal.out('Configuration updated!\n')
    return 0
  },
}

async function settingsAt(client: ApiClient): Promise<Result<Autopilot, string>> {
  const answer = await client.expect('GET', path)
  if (!answer.ok) return err(`Error querying Autopilot configuration: ${answer.error}`)
  const { readAutopilot } = await import('../api/answers.ts')
  const read = readAutopilot(answer.value)
  return read === undefined ? err('Error querying Autopilot configuration: it cannot be read') : ok(read)
}

/** The given flags, by member of the JSON. */
function givenSettings(
  flags: ReadonlyMap<string, FlagValue>,
): Result<Readonly<Record<string, string | number | boolean>>, string> {
  const given: Record<string, string | number | boolean> = {}
  for (const [flag, member, kind] of settings) {
    const said = flags.get(flag)
    if (typeof said !== 'string' && typeof said !== 'boolean') continue
    const value = typeof said === 'boolean' ? ok(said) : settingOf(kind, said)
    if (!value.ok) return err(`invalid value ${JSON.stringify(said)} for flag -${flag}: ${value.error}`)
    given[member] = value.value
  }
  return ok(given)
}

/** Reads the value of a flag. The error is one clause, with what to write instead. */
function settingOf(kind: Kind, text: string): Result<string | number, string> {
  if (kind === 'number') return /^\d{1,15}$/.test(text) ? ok(Number(text)) : err('write a whole number')
  const duration = kind === 'duration' ? parseDuration(text) : ok(0)
  if (duration.ok) return ok(text)
  return err(lacksUnit(text) ? `${duration.error}, write ${text}s` : duration.error)
}
