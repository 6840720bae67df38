import { describe, expect, it } from 'vitest'
import { err } from '../../../src/base/result.ts'
import type { CliCommand } from '../../../src/cli/command.ts'
import { commandTree } from '../../../src/cli/command-list.ts'
import { runCli } from '../../../src/cli/program.ts'
import type { Env } from '../../../src/env/env.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { FakeTerminal } from './fake-terminal.ts'

const host = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** Runs a command while no agent listens at any address; `asked`: what it would have asked, `GET /v1/agent/self`. */
async function run(
  argv: readonly string[],
): Promise<{ code: number; out: string; error: string; asked: readonly string[] }> {
  const terminal = new FakeTerminal()
  const to = { host: '127.0.0.1', port: 8500 }
  const asked: string[] = []
  const request: Env['http']['request'] = async (_to, { method, target }) => {
    asked.push(`${method} ${target}`)
    return err({ kind: 'refused', to })
  }
  const http = { ...host.http, request }
  const env = { ...host, disk: host.disk, machine: host.machine, http } as Env
  const code = await runCli(argv, env, terminal)
  return { code, out: terminal.written, error: terminal.complained, asked }
}

const commands = commandTree.commands.map((command) => ({ name: command.path.join(' '), command }))

function standing({ flags }: CliCommand): boolean {
  return flags.some((flag) => flag.standing)
}

/** A command that answers a question has a code of its own for failing. */
const codes: Readonly<Record<string, number>> = { 'acl explain': 2, 'intention check': 2 }

/** What each command that asks an agent is given so that it gets so far. */
const operands: Readonly<Record<string, readonly string[]>> = {
  'acl explain': ['service:read', 'web'],
  'acl policy create': ['-name=p'],
  'acl policy delete': ['-name=p'],
  'acl policy read': ['-name=p'],
  'acl policy update': ['-name=p'],
  'acl set-agent-token': ['default', 't'],
  'acl token clone': ['-id=1'],
  'acl token create': ['-policy-name=p'],
  'acl token delete': ['-id=1'],
  'acl token read': ['-id=1'],
  'acl token update': ['-id=1'],
  'acl translate-rules': ['key "" {}'],
  event: ['-name=e'],
  exec: ['true'],
  'force-leave': ['n'],
  'intention check': ['a', 'b'],
  'intention create': ['a', 'b'],
  'intention delete': ['a', 'b'],
  'intention get': ['a', 'b'],
  'intention match': ['a'],
  join: ['127.0.0.1'],
  keyring: ['-list'],
  'kv delete': ['k'],
  'kv get': ['k'],
  'kv import': ['[{"key":"k","flags":0,"value":""}]'],
  'kv put': ['k', 'v'],
  lock: ['p', 'true'],
  'operator raft remove-peer': ['-id=s'],
  rtt: ['a', 'b'],
  'services deregister': ['-id=s'],
  'services register': ['-name=s'],
  'snapshot save': ['/tmp/never-written.snap'],
  watch: ['-type=nodes'],
}

/** Of release 1.4.0, without those of the commercial edition. Reference: command-line.md#commands. */
const ofTheField = [
  ...['bootstrap', 'set-agent-token', 'translate-rules'].map((name) => `acl ${name}`),
  ...['create', 'delete', 'list', 'read', 'update'].flatMap((name) => [`acl policy ${name}`, `acl token ${name}`]),
  ...['acl token clone', 'agent', 'catalog datacenters', 'catalog nodes', 'catalog services'],
  ...['connect ca get-config', 'connect ca set-config', 'connect envoy', 'connect proxy'],
  ...['debug', 'event', 'exec', 'force-leave', 'info'],
  ...['check', 'create', 'delete', 'get', 'match'].map((name) => `intention ${name}`),
  ...['join', 'keygen', 'keyring'],
  ...['delete', 'export', 'get', 'import', 'put'].map((name) => `kv ${name}`),
  ...['leave', 'lock', 'maint', 'members', 'monitor'],
  ...['operator autopilot get-config', 'operator autopilot set-config'],
  ...['operator raft list-peers', 'operator raft remove-peer'],
  ...['reload', 'rtt', 'services deregister', 'services register'],
  ...['inspect', 'restore', 'save'].map((name) => `snapshot ${name}`),
  ...['validate', 'version', 'watch'],
]

describe('svc', () => {
  it.each(ofTheField)('[CLI-014] has the command %s, as the field has it', async (name) => {
    expect(commands.map((each) => each.name)).toContain(name)
    const words = name.split(' ')
    const group = await run(words.slice(0, -1))
    expect(group.error).toMatch(new RegExp(`^    ${words.at(-1)} +\\S`, 'm'))
  })
})

describe.each(commands)('svc $name', ({ command }) => {
  it('has help that names each of its flags once, apart from those of every command, and is no mistake', async () => {
    const { code, out, error } = await run([...command.path, '-help'])
    expect([code, error]).toEqual([0, ''])
    expect(out).toMatch(new RegExp(`^Usage: svc ${command.path.join(' ')} \\[options\\]`))
    expect(out).toContain(`${command.summary}.\n`)
    for (const { name } of command.flags)
      expect(out.split(new RegExp(`^ {2}-${name}(?:=| )`, 'm')), name).toHaveLength(2)
    expect(out.includes('\nHTTP API Options:\n')).toBe(standing(command))
    expect(out.includes('\nCommand Options:\n')).toBe(command.flags.some((flag) => !flag.standing))
  })

  it('refuses a flag that it does not have, and shows its help; the exit code is no answer', async () => {
    const { code, out, error } = await run([...command.path, '-none'])
    expect([code, out]).toEqual([codes[command.path.join(' ')] ?? 1, ''])
    expect(error).toMatch(/^flag provided but not defined: -none(: did you mean -[a-z-]+\?)?\n/)
    expect(error).toContain(`Usage: svc ${command.path.join(' ')} `)
  })
})

describe('a mistake on the command line', () => {
  it.each([
    [['kv', 'gte', 'a'], "unknown command: kv gte: did you mean 'kv get'?"],
    [['mebers'], "unknown command: mebers: did you mean 'members'?"],
    [
      ['operator', 'raft', 'list-peer'],
      "unknown command: operator raft list-peer: did you mean 'operator raft list-peers'?",
    ],
    [['configtest'], "unknown command: configtest: it was removed in 1.0, use 'svc validate'"],
    [['quux'], 'unknown command: quux'],
    [['members', '-detaild'], 'flag provided but not defined: -detaild: did you mean -detailed?'],
  ])('%j is a mistake, and it is said what may have been meant', async (argv, line) => {
    const { code, error } = await run(argv)
    expect([code, error.split('\n')[0]]).toEqual([1, line])
  })

  it('takes no flag behind arguments for one of them, unless it is told to', async () => {
    const { code, error } = await run(['force-leave', 's2', '-http-addr=127.0.0.1:1'])
    expect(code).toBe(1)
    expect(error).toMatch(
      /^flag after the arguments: -http-addr: write it before them, or write -- before arguments that are not flags\nUsage: svc force-leave /,
    )
    const told = await run(['kv', 'put', '--', 'k', '-cas'])
    expect(told.error).toContain('connect: connection refused')
  })

  it('leaves flags of a program that it runs to the program', async () => {
    expect(commands.filter(({ command }) => command.runsOperands).map(({ name }) => name)).toEqual([
      'exec',
      'lock',
      'watch',
    ])
    expect((await run(['exec', 'true', '-token=x'])).error).toContain('connect: connection refused')
  })
})

/** They read a file first, or never get so far; they have their own tests. */
const others: ReadonlySet<string> = new Set([
  'snapshot restore',
  'connect ca set-config',
  'connect envoy',
  'connect proxy',
])
const asking = commands.filter(({ name, command }) => standing(command) && !others.has(name))
const policies = 'GET /v1/acl/policies'
const tokens = 'GET /v1/acl/tokens'
const intentions = '/v1/connect/intentions'
const autopilot = 'GET /v1/operator/autopilot/configuration'
/**
 * The last that a command asks for before it gives up. What has a name is looked for in a list first.
 * Reference: command-line.md#commands.
 */
const asks: Readonly<Record<string, string>> = {
  'acl bootstrap': 'PUT /v1/acl/bootstrap',
  'acl explain': 'GET /v1/acl/explain?resource=service&right=read&name=web',
  'acl policy create': 'PUT /v1/acl/policy',
  ...{ 'acl policy delete': policies, 'acl policy list': policies, 'acl policy read': policies },
  'acl policy update': policies,
  'acl set-agent-token': 'PUT /v1/agent/token/acl_token',
  'acl status': 'GET /v1/acl/status',
  ...{ 'acl token clone': tokens, 'acl token create': 'PUT /v1/acl/token', 'acl token delete': tokens },
  ...{ 'acl token list': tokens, 'acl token read': tokens, 'acl token update': tokens },
  'acl translate-rules': 'POST /v1/acl/rules/translate',
  'catalog datacenters': 'GET /v1/catalog/datacenters',
  'catalog nodes': 'GET /v1/catalog/nodes',
  'catalog services': 'GET /v1/catalog/services',
  'connect ca forecast': 'GET /v1/connect/ca/forecast',
  'connect ca get-config': 'GET /v1/connect/ca/configuration',
  debug: 'GET /v1/agent/self',
  event: 'PUT /v1/event/fire/e',
  exec: 'PUT /v1/session/create',
  'force-leave': 'PUT /v1/agent/force-leave/n',
  info: 'GET /v1/agent/self',
  'intention check': `GET ${intentions}/check?source=a&destination=b`,
  'intention create': `POST ${intentions}`,
  'intention delete': `GET ${intentions}`,
  'intention get': `GET ${intentions}`,
  'intention match': `GET ${intentions}/match?by=destination&name=a`,
  join: 'PUT /v1/agent/join/127.0.0.1',
  keyring: 'GET /v1/operator/keyring',
  'kv delete': 'DELETE /v1/kv/k',
  'kv export': 'GET /v1/kv/?recurse=',
  'kv get': 'GET /v1/kv/k',
  'kv import': 'PUT /v1/kv/k?flags=0',
  'kv put': 'PUT /v1/kv/k',
  leave: 'PUT /v1/agent/leave',
  lock: 'PUT /v1/session/create',
  maint: 'GET /v1/agent/checks',
  members: 'GET /v1/agent/members',
  monitor: 'GET /v1/agent/monitor',
  ...{ 'operator autopilot get-config': autopilot, 'operator autopilot set-config': autopilot },
  'operator check': 'GET /v1/agent/self',
  'operator raft list-peers': 'GET /v1/operator/raft/configuration',
  'operator raft remove-peer': 'DELETE /v1/operator/raft/peer?id=s',
  'operator raft transfer-leader': 'PUT /v1/operator/raft/transfer-leader',
  'operator upgrade check': 'GET /v1/agent/self',
  reload: 'PUT /v1/agent/reload',
  rtt: 'GET /v1/coordinate/nodes',
  'services deregister': 'PUT /v1/agent/service/deregister/s',
  'services register': 'PUT /v1/agent/service/register',
  'snapshot save': 'GET /v1/snapshot',
  watch: 'GET /v1/catalog/nodes',
}
describe.each(asking)('svc $name', ({ command }) => {
  it('[CLI-014] sends its request, and says when no agent listens: that is no success', async () => {
    const name = command.path.join(' ')
    const { code, error, asked } = await run([...command.path, ...(operands[name] ?? [])])
    expect(asked.at(-1)).toBe(asks[name])
    expect(code).toBe(codes[name] ?? 1)
    expect(error).toContain('connect: connection refused')
  })
})
