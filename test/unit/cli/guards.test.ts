import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { commandTree } from '../../../src/cli/command-list.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { CliWorld } from './cli-world.ts'
import { type FakeAnswer, FakeApi } from './fake-api.ts'

const directory = mkdtempSync(join(tmpdir(), 'svc-guards-'))
afterAll(() => rmSync(directory, { recursive: true }))

const authority = join(directory, 'ca.json')
writeFileSync(
  authority,
  '{ "Provider": "vault", "Config": { "LeafCertTTL": "24h" }, "ForceWithoutCrossSigning": true }',
)

function member(name: string, Status = 1): object {
  const Tags = { role: 'svc', id: `id-${name}`, port: '8300', build: '1.4.0', dc: 'dc1' }
  return { Name: name, Addr: '10.0.0.1', Port: 8301, Tags, Status }
}

function peer(name: string, Voter = true): object {
  return { ID: `id-${name}`, Node: name, Address: `${name}:8300`, Leader: false, ProtocolVersion: '3', Voter }
}

const members = 'GET /v1/agent/members'
const peers = 'GET /v1/operator/raft/configuration?stale='
const self: FakeAnswer = [200, { Config: { NodeName: 's1', Server: true } }]
const keyring = 'GET /v1/operator/keyring'
const configuration = 'GET /v1/connect/ca/configuration'

const policy = '00000000-0000-0000-0000-00000000000a'
const token = (at: number, description: string, id: string): object => {
  return { AccessorID: `t${at}`, Description: description, Policies: [{ ID: id, Name: 'p' }] }
}
const ring = (Keys: object): FakeAnswer => [200, [{ WAN: false, Datacenter: 'dc1', Segment: '', Keys, NumNodes: 3 }]]

interface Verb {
  readonly argv: readonly string[]
  /** The request that does it. */
  readonly does: string
  readonly reads: Readonly<Record<string, FakeAnswer>>
  readonly warnings: readonly string[]
  /** What the reads say where nothing would be lost. */
  readonly harmless: Readonly<Record<string, FakeAnswer>>
}

const verbs: readonly (readonly [name: string, verb: Verb])[] = [
  [
    'leave',
    {
      argv: ['leave'],
      does: 'PUT /v1/agent/leave',
      reads: {
        'GET /v1/agent/self': self,
        [members]: [200, [member('s1')]],
        [peers]: [200, { Servers: [peer('s1')] }],
      },
      warnings: [
        's1 is the only voter: without it keys, sessions, tokens and the catalog can be neither read nor written, until a server starts from its data directory or from a snapshot.',
      ],
      harmless: {
        [members]: [200, ['s1', 's2', 's3'].map((name) => member(name))],
        [peers]: [200, { Servers: ['s1', 's2', 's3'].map((name) => peer(name)) }],
      },
    },
  ],
  [
    'force-leave',
    {
      argv: ['force-leave', 's3'],
      does: 'PUT /v1/agent/force-leave/s3',
      reads: {
        [members]: [200, [member('s1'), member('s2', 4), member('s3', 4)]],
        [peers]: [200, { Servers: [peer('s1'), peer('s2'), peer('s3')] }],
        'GET /v1/catalog/node/s3': [200, { Node: {}, Services: { web: {}, db: {} } }],
        'GET /v1/session/node/s3': [200, [{}]],
      },
      warnings: [
        'node s3, which is failed, is removed from the catalog with 2 services and 1 session, whose locks are released.',
        'without s3 only 1 of the other 2 voters run, and a leader needs 2: nothing can be written.',
      ],
      harmless: { [members]: [200, [member('s1'), member('s3')]] },
    },
  ],
  [
    'remove-peer',
    {
      argv: ['operator', 'raft', 'remove-peer', '-id=id-s3'],
      does: 'DELETE /v1/operator/raft/peer?id=id-s3',
      reads: {
        [members]: [200, [member('s1'), member('s2'), member('s3', 4)]],
        [peers]: [200, { Servers: [peer('s1'), peer('s2'), peer('s3')] }],
      },
      warnings: [
        'server s3 loses its place among the servers: 2 of the other 2 voters run, and the loss of one more ends all writes.',
      ],
      harmless: { [peers]: [200, { Servers: [peer('s1')] }] },
    },
  ],
  [
    'kv delete',
    {
      argv: ['kv', 'delete', '-recurse', 'app/'],
      does: 'DELETE /v1/kv/app/?recurse=',
      reads: { 'GET /v1/kv/app/?keys=': [200, ['app/a', 'app/b']] },
      warnings: ['the command deletes 2 keys with the prefix "app/".'],
      harmless: { 'GET /v1/kv/app/?keys=': [404, ''] },
    },
  ],
  [
    'set-config',
    {
      argv: ['connect', 'ca', 'set-config', `-config-file=${authority}`],
      does: 'PUT /v1/connect/ca/configuration',
      reads: {
        [configuration]: [
          200,
          {
            Provider: 'svc',
            Config: { LeafCertTTL: '72h', RotationPeriod: '2160h', CSRMaxPerSecond: 5 },
            CreateIndex: 1,
            ModifyIndex: 2,
          },
        ],
        'GET /v1/connect/ca/forecast': [
          200,
          {
            ...{ Now: '', State: 'ready', Problem: '', Provider: 'svc', TrustDomain: '', LeafCertTTL: '72h' },
            ...{ LeafExpires: '', Crossings: [], Rotation: null },
            Roots: [{ ID: 'r', Name: 'Root 1', Provider: 'svc', Active: true, Expires: '', Leaves: [], Goes: '' }],
            RotationNow: {
              ...{ Possible: true, Why: '', Roots: 2, CertificatesOfLeaf: 2, LeavesHoldUntil: '' },
              OldRootGoes: '2026-12-01T00:00:00Z',
            },
          },
        ],
      },
      warnings: [
        'the provider of the authority changes from svc to vault.',
        'the authority\'s option CSRMaxPerSecond changes from "5" to its default.',
        'the authority\'s option LeafCertTTL changes from "72h" to "24h".',
        'a rotation starts: root Root 1 stops signing and is removed at 2026-12-01T00:00:00Z, and every leaf of the mesh is issued anew.',
        'the new root is not cross-signed: services that trust only the old root refuse connections meanwhile.',
      ],
      harmless: {
        [configuration]: [
          200,
          {
            Provider: 'vault',
            Config: { LeafCertTTL: '24h', RotationPeriod: '2160h' },
            CreateIndex: 1,
            ModifyIndex: 2,
          },
        ],
      },
    },
  ],
  [
    'policy delete',
    {
      argv: ['acl', 'policy', 'delete', `-id=${policy}`],
      does: `DELETE /v1/acl/policy/${policy}`,
      reads: {
        'GET /v1/acl/tokens': [200, [token(1, 'of web', policy), token(2, '', policy), token(3, 'other', 'x')]],
      },
      warnings: [`policy ${policy} is linked to 2 tokens, and its rights end for them: t1 (of web), t2.`],
      harmless: { 'GET /v1/acl/tokens': [200, [token(3, 'other', 'x')]] },
    },
  ],
  [
    'keyring -remove',
    {
      argv: ['keyring', '-remove=old'],
      does: 'DELETE /v1/operator/keyring',
      reads: { [keyring]: ring({ old: 3, new: 2 }), [members]: [200, [member('s1'), member('c1', 4)]] },
      warnings: [
        'in the LAN pool of dc1 3 of 3 members have this key, and at most 2 have the same other one: the rest would be cut off.',
        '1 failed member may know only this key, and could not join again without it: c1.',
      ],
      harmless: { [keyring]: ring({ old: 3, new: 3 }), [members]: [200, [member('s1')]] },
    },
  ],
]

let api: FakeApi
beforeEach(() => {
  api = new FakeApi()
})

function given({ reads, does }: Verb, more: Readonly<Record<string, FakeAnswer>> = {}): void {
  for (const [what, answer] of Object.entries({ ...reads, ...more })) api.on(what, answer)
  api.on(does, [200, 'true'])
}

const told = ({ warnings }: Verb): string => warnings.map((line) => `Warning: ${line}\n`).join('')
const done = (): boolean => api.changes.length === 1

describe.each(verbs)('the guard of %s', (_name, verb) => {
  it('warns a script on standard error, and changes neither what it prints nor its exit code', async () => {
    given(verb)
    const warned = await api.run(verb.argv)
    expect([warned.error, done(), api.questions]).toEqual([told(verb), true, []])
    const [first = '', ...rest] = splitPath(verb.argv)
    const forced = await api.run([...first.split(' '), '-force', ...rest])
    expect(forced).toEqual({ ...warned, error: '' })
    expect(forced.code).toBe(0)
  })

  it('asks a person, and does nothing unless the answer is yes', async () => {
    given(verb)
    for (const typed of ['', 'no', 'y', 'yes!']) {
      api.typed = typed
      const refused = await api.run(verb.argv)
      expect(refused).toEqual({ code: 1, out: '', error: `${told(verb)}Nothing was done.\n` })
    }
    expect(api.changes).toEqual([])
    api.typed = 'yes'
    expect(await api.run(verb.argv)).toMatchObject({ code: 0, error: told(verb) })
    expect(done()).toBe(true)
    expect(new Set(api.questions)).toEqual(new Set(['Type yes to continue: ']))
  })

  it('with SVC_CONFIRM=always demands -force, of scripts and of people', async () => {
    given(verb)
    api.environment.set('SVC_CONFIRM', 'always')
    for (const typed of [undefined, 'yes']) {
      api.typed = typed
      const refused = await api.run(verb.argv)
      const hint = 'Nothing was done, because SVC_CONFIRM is always: add -force to do it.\n'
      expect(refused).toEqual({ code: 1, out: '', error: `${told(verb)}${hint}` })
    }
    expect([api.changes, api.questions]).toEqual([[], []])
    const [first = '', ...rest] = splitPath(verb.argv)
    expect((await api.run([...first.split(' '), '-force', ...rest])).code).toBe(0)
    expect(done()).toBe(true)
  })

  it('says and asks nothing where nothing would be lost', async () => {
    given(verb, verb.harmless)
    api.typed = ''
    api.environment.set('SVC_CONFIRM', 'always')
    expect(await api.run(verb.argv)).toMatchObject({ code: 0, error: '' })
    expect([done(), api.questions]).toEqual([true, []])
  })

  it('says that the losses are unknown where the token may not read them', async () => {
    given(verb, Object.fromEntries(Object.keys(verb.reads).map((what) => [what, [403, 'Permission denied'] as const])))
    const { code, error } = await api.run(verb.argv)
    expect([code, done()]).toEqual([0, true])
    expect(error).toMatch(/^Warning: What would be lost is unknown: .*403 \(Permission denied\)\.\n$/)
  })
})

/** The words of the command, and what follows them. */
function splitPath(argv: readonly string[]): readonly string[] {
  const { path } = commandTree.commands.find((each) => each.path.every((word, at) => argv[at] === word)) ?? { path: [] }
  return [path.join(' '), ...argv.slice(path.length)]
}

describe('the guard of snapshot restore', () => {
  it('compares the archive with the state, and lets nothing change before a person says yes', async () => {
    const world = await CliWorld.begun()
    // Archives are packed in turns of their own, which only time gives.
    Object.assign(world.sessions.server.agent, { env: createHostEnv({ logSink: () => undefined, logLevel: 'error' }) })
    const file = join(directory, 'a.snap')
    for (const key of ['a', 'b']) await world.run(['kv', 'put', key, 'old'])
    await world.run(['snapshot', 'save', file])
    expect((await world.run(['snapshot', 'restore', file])).error).toBe('')
    for (const key of ['b', 'c', 'd']) await world.run(['kv', 'put', key, 'new'])
    const warning =
      /^Warning: the command sets the state back to index \d+: it removes 2 records and gives 1 an earlier value \(kv 2 and 1\)\.\n/
    const refused = await world.run(['snapshot', 'restore', file], '', 'no')
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.error).toMatch(warning)
    expect(await world.textAt('c')).toBe('new')
    const warned = await world.run(['snapshot', 'restore', file])
    expect([warned.code, warned.out]).toEqual([0, 'Restored snapshot\n'])
    expect(warned.error).toMatch(warning)
    expect(await world.textAt('b')).toBe('old')
  })
})

describe('SVC_CONFIRM', () => {
  it('is always or unset: another value would promise a safety that is not there', async () => {
    api.on('DELETE /v1/kv/a?recurse=', [200, true])
    api.environment.set('SVC_CONFIRM', 'yes')
    const { code, error } = await api.run(['kv', 'delete', '-recurse', 'a'])
    expect([code, error]).toEqual([1, 'SVC_CONFIRM is "yes": set it to always, or unset it. Nothing was done.\n'])
    expect(api.asked).toEqual([])
  })
})

describe('the table of docs/operations.md', () => {
  it('has each guarded command, in which case it warns, and what it says', () => {
    const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
    const guarded = commandTree.commands.filter(({ guard }) => guard !== undefined)
    for (const { path, guard } of guarded) {
      expect(page).toContain(`| \`svc ${path.join(' ')}\` | ${guard?.when} | ${guard?.says} |\n`)
    }
    expect(guarded).toHaveLength(8)
  })
})
