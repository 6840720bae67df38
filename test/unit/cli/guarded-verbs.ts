import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeAnswer } from './fake-api.ts'

/** Writes a configuration of the mesh's authority that differs from the one in force. Returns its path. */
export function putAuthorityFile(folder: string): string {
  const path = join(folder, 'ca.json')
  const text = '{ "Provider": "vault", "Config": { "LeafCertTTL": "24h" }, "ForceWithoutCrossSigning": true }'
  writeFileSync(path, text)
  return path
}

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

/** A command that warns before it destroys something. */
export interface GuardedVerb {
  readonly argv: readonly string[]
  /** The request that does it. */
  readonly does: string
  readonly reads: Readonly<Record<string, FakeAnswer>>
  readonly warnings: readonly string[]
  /** What the reads say where nothing would be lost. */
  readonly harmless: Readonly<Record<string, FakeAnswer>>
}

/** Each guarded verb but `snapshot restore`, which reads an archive. `authority`: the file of `set-config`. */
export function guardedVerbs(authority: string): readonly (readonly [name: string, verb: GuardedVerb])[] {
  return [
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
}
