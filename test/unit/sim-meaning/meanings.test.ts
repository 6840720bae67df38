import { afterAll, describe, expect, it } from 'vitest'
import { aboutOf } from '../../../sim/meaning/about.ts'
import { Meanings } from '../../../sim/meaning/meanings.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'
import { type Meaning, meaningFields, meaningSchema } from '../../../sim/report/meaning.ts'
import { emptyBytes, utf8 } from '../../../src/base/bytes.ts'
import { seal } from '../../../src/gossip/wire/sealed.ts'
import { sealFrame } from '../../../src/gossip/wire/stream-frame.ts'
import {
  batch,
  dnsAnswer,
  dnsQuestion,
  exchange,
  framesOf,
  gossipMessages,
  httpAnswer,
  httpRequest,
  packetOf,
  refusal,
  rpcBack,
  rpcThere,
  traced,
} from './packets.ts'

const platform = createPlatform()
afterAll(() => platform.close())
const about = { key: 'a/b' }

describe('the meaning of bytes', () => {
  it('is each message of a packet of the pool', () => {
    expect(new Meanings(platform).of(traced('datagram', 8301, packetOf(gossipMessages)))).toEqual([
      { layer: 'gossip', name: 'ping', sequence: 7, member: 's3' },
      { layer: 'gossip', name: 'indirect-ping', sequence: 8, member: 's3', nack: true },
      { layer: 'gossip', name: 'ack', sequence: 7, bytes: 4 },
      { layer: 'gossip', name: 'nack', sequence: 8 },
      { layer: 'gossip', name: 'suspect', member: 's3', incarnation: 4, from: 's1' },
      {
        layer: 'gossip',
        name: 'alive',
        member: 's3',
        incarnation: 5,
        address: '10.0.1.3:8301',
        tags: { acls: '1', build: '1.4.0' },
      },
      { layer: 'gossip', name: 'dead', member: 's3', incarnation: 5, from: 's1' },
      { layer: 'gossip', name: 'leave-intent', member: 's3', lamport: 3, prune: false },
      { layer: 'gossip', name: 'join-intent', member: 's3', lamport: 2 },
      { layer: 'gossip', name: 'user-event', event: 'deploy', lamport: 4, bytes: 4 },
      { layer: 'gossip', name: 'query', event: 'load', lamport: 5, id: 9, from: '10.0.1.3:8301', bytes: 4 },
      { layer: 'gossip', name: 'query-response', lamport: 6, id: 9, from: 's2', bytes: 4 },
      { layer: 'gossip', name: 'relay', to: '10.0.1.3:8301', id: 9, from: 's2' },
    ])
  })

  it('is an exchange of states, in whatever pieces it comes', () => {
    const state: Meaning = {
      layer: 'gossip',
      name: 'push-pull',
      join: true,
      lamport: 12,
      count: 4,
      members: [
        { member: 's1', state: 'alive', incarnation: 2 },
        { member: 's2', state: 'suspect', incarnation: 2 },
        { member: 's3', state: 'dead', incarnation: 2 },
        { member: 's4', state: 'left', incarnation: 2 },
      ],
      events: 1,
    }
    const meanings = new Meanings(platform)
    expect(meanings.of(traced('segment', 8301, exchange, 1))).toEqual([state])
    expect(meanings.of(traced('segment', 8301, refusal, 1, true))).toEqual([
      { layer: 'gossip', name: 'error', text: 'it is not encrypted' },
    ])
    expect(meanings.of(traced('segment', 8301, exchange.slice(0, 9), 2))).toEqual([
      { layer: 'part', name: 'frame', of: 'gossip', bytes: 9, held: 9 },
    ])
    expect(meanings.of(traced('segment', 8301, exchange.slice(9), 2))).toEqual([state])
  })

  it('is read with the keys that agents have sealed with', () => {
    const key = utf8('0123456789abcdef')
    const crypto = { ...platform, randomBytes: (length: number) => new Uint8Array(length).fill(9) }
    const opens = { sealAesGcm: platform.sealAesGcm, openAesGcm: platform.openAesGcm, randomBytes: crypto.randomBytes }
    const [ping] = gossipMessages
    const packet = seal(opens, key, packetOf(ping === undefined ? [] : [ping]), emptyBytes)
    const sealing = {
      isOn: true,
      demands: true,
      seal: (plain: Uint8Array, additional: Uint8Array) => seal(opens, key, plain, additional),
      *unseal() {
        yield 0
        return undefined
      },
    }
    const frame = sealFrame(sealing, refusal)
    const stranger = new Meanings(platform)
    expect(stranger.of(traced('datagram', 8301, packet))[0]?.layer).toBe('unknown')
    expect(stranger.of(traced('segment', 8301, frame, 1))[0]?.layer).toBe('unknown')
    const meanings = new Meanings(platform)
    meanings.keys.sealedWith(utf8('another key too!'))
    meanings.keys.sealedWith(key)
    meanings.keys.sealedWith(utf8('yet another key.'))
    expect(meanings.of(traced('datagram', 8301, packet))).toEqual([
      { layer: 'gossip', name: 'ping', sequence: 7, member: 's3' },
    ])
    expect(meanings.of(traced('segment', 8301, frame, 1))[0]).toMatchObject({ layer: 'gossip', name: 'error' })
  })

  const raft: readonly Meaning[] = [
    { layer: 'raft', name: 'vote-request', pre: true, term: 4, lastIndex: 90, lastTerm: 4, transfer: false },
    { layer: 'raft', name: 'vote-response', pre: false, term: 4, granted: true },
    {
      layer: 'raft',
      name: 'append-request',
      term: 4,
      prev: 90,
      prevTerm: 4,
      count: 3,
      commit: 89,
      round: 5,
      entries: [
        { index: 91, term: 4, kind: 'no-op' },
        { index: 92, term: 4, kind: 'configuration', servers: 'one voter, two nonvoter' },
        { index: 93, term: 4, kind: 'command', command: 'kv.put', about },
      ],
    },
    { layer: 'raft', name: 'append-response', term: 4, success: true, index: 93, hintTerm: 0, round: 5 },
    { layer: 'raft', name: 'snapshot-chunk', term: 4, index: 80, offset: 50, bytes: 4, size: 100, round: 6 },
    { layer: 'raft', name: 'snapshot-response', term: 4, index: 80, nextOffset: 54, installed: false, round: 6 },
    { layer: 'raft', name: 'timeout-now', term: 4 },
  ]
  const there: readonly Meaning[] = [
    { layer: 'rpc', name: 'hello', node: 's1', id: 'n1', datacenter: 'dc1', address: '10.0.1.1:8300', protocol: 1 },
    { layer: 'rpc', name: 'request', id: 1, method: 'KV.Get', about, consistency: 'stale', minIndex: 5 },
    {
      layer: 'rpc',
      name: 'request',
      id: 2,
      method: 'Session.Create',
      about: { node: 's1', name: 'lock' },
      identity: 's1#1/4',
    },
    { layer: 'rpc', name: 'request', id: 3, method: 'Session.Destroy', about: { session: 'abc' } },
    { layer: 'rpc', name: 'cancel', id: 3, method: 'Session.Destroy' },
    { layer: 'rpc', name: 'notice', topic: 'other', bytes: 4 },
    ...raft,
    { layer: 'rpc', name: 'ping' },
  ]
  const back: readonly Meaning[] = [
    { layer: 'rpc', name: 'pong' },
    { layer: 'rpc', name: 'answer', id: 1, method: 'KV.Get', about, index: 40, outcome: '1 row' },
    {
      layer: 'rpc',
      name: 'failure',
      id: 2,
      method: 'Session.Create',
      about: { node: 's1', name: 'lock' },
      failure: 'no-leader',
      text: 'No cluster leader',
    },
  ]

  it('is each frame between agents, an answer with what was asked', () => {
    const meanings = new Meanings(platform)
    expect(meanings.of(traced('segment', 8300, framesOf(rpcThere), 1))).toEqual(there)
    expect(meanings.of(traced('segment', 8300, framesOf(rpcBack), 1, true))).toEqual(back)
  })

  it('says of each segment which frames it completes', () => {
    const meanings = new Meanings(platform)
    const bytes = framesOf(rpcThere)
    const read: Meaning[] = []
    for (let at = 0; at < bytes.length; at += 5) {
      const means = meanings.of(traced('segment', 8300, bytes.slice(at, at + 5), 1))
      expect(means.length).toBeGreaterThan(0)
      read.push(...means)
    }
    expect(read.filter(({ layer }) => layer !== 'part')).toEqual(there)
    expect(read.find(({ layer }) => layer === 'part')).toEqual({
      layer: 'part',
      name: 'frame',
      of: 'rpc',
      bytes: 5,
      held: 5,
    })
  })

  it('is a request over HTTP, and its answer', () => {
    const meanings = new Meanings(platform)
    const request = {
      method: 'PUT',
      target: '/v1/kv/a/b%20c?acquire=abc&token=<hidden>',
      about: { key: 'a/b c', session: 'abc' },
    }
    expect(meanings.of(traced('segment', 8500, httpRequest, 1))).toEqual([
      { layer: 'http', name: 'request', ...request, bytes: 4 },
    ])
    expect(meanings.of(traced('segment', 8500, httpAnswer, 1, true))).toEqual([
      { layer: 'http', name: 'answer', status: 200, ...request, index: 17, bytes: 4 },
    ])
  })

  it('is found at an unknown port where it is HTTP', () => {
    const meanings = new Meanings(platform)
    expect(meanings.of(traced('segment', 9000, httpRequest, 1))[0]).toMatchObject({ layer: 'http', name: 'request' })
    expect(meanings.of(traced('segment', 9000, utf8('hello hello'), 2))).toEqual([
      { layer: 'unknown', name: 'bytes', bytes: 11, why: 'no protocol of the agent' },
    ])
  })

  it('is a question of DNS and its answer, over either transport', () => {
    const meanings = new Meanings(platform)
    const question: Meaning = { layer: 'dns', name: 'question', id: 5, question: 'web.service.svc.', type: 'SRV' }
    const answer: Meaning = {
      layer: 'dns',
      name: 'answer',
      id: 5,
      question: 'web.service.svc.',
      type: 'SRV',
      rcode: 'NOERROR',
      truncated: false,
      count: 2,
      records: ['web.service.svc. SRV s1.node.svc.:80', 'web.service.svc. A 10.0.1.1'],
    }
    expect(meanings.of(traced('datagram', 8600, dnsQuestion))).toEqual([question])
    expect(meanings.of(traced('datagram', 40_000, dnsAnswer))).toEqual([answer])
    const framed = (bytes: Uint8Array) => Uint8Array.of(bytes.length >> 8, bytes.length & 255, ...bytes)
    expect(meanings.of(traced('segment', 8600, framed(dnsQuestion).slice(0, 1), 1))[0]?.layer).toBe('part')
    expect(meanings.of(traced('segment', 8600, framed(dnsQuestion).slice(1), 1))).toEqual([question])
    expect(meanings.of(traced('segment', 8600, framed(dnsAnswer), 1, true))).toEqual([answer])
  })

  it('is what one write to the log makes durable', () => {
    expect(new Meanings(platform).of(traced('diskWrite', 0, batch))).toEqual([
      { layer: 'log', name: 'hard-state', term: 4, votedFor: 'one' },
      { layer: 'log', name: 'reset', index: 80, term: 4 },
      { layer: 'log', name: 'truncate', from: 91 },
      { layer: 'log', name: 'entry', index: 91, term: 4, kind: 'no-op' },
      { layer: 'log', name: 'entry', index: 92, term: 4, kind: 'configuration', servers: 'one voter, two nonvoter' },
      { layer: 'log', name: 'entry', index: 93, term: 4, kind: 'command', command: 'kv.put', about },
      { layer: 'log', name: 'continued' },
    ])
    expect(new Meanings(platform).of(traced('diskWrite', 0, utf8('something else')))).toEqual([])
  })

  it('is known of every row of the schema here', () => {
    const meanings = new Meanings(platform)
    const all = [
      traced('datagram', 8301, packetOf(gossipMessages)),
      traced('segment', 8301, exchange, 1),
      traced('segment', 8301, refusal, 1, true),
      traced('segment', 8300, framesOf(rpcThere), 2),
      traced('segment', 8300, framesOf(rpcBack).slice(0, -1), 2, true),
      traced('segment', 8300, framesOf(rpcBack).slice(-1), 2, true),
      traced('segment', 8300, framesOf(rpcBack).slice(0, 1), 2, true),
      traced('segment', 8500, httpRequest, 3),
      traced('segment', 8500, httpAnswer, 3, true),
      traced('datagram', 8600, dnsQuestion),
      traced('datagram', 40_000, dnsAnswer),
      traced('diskWrite', 0, batch),
      traced('datagram', 40_000, utf8('x')),
    ].flatMap((bytes) => meanings.of(bytes))
    for (const meaning of all) expect(meaningSchema.parse(meaning)).toEqual(meaning)
    const met = new Set(all.map(({ layer, name }) => `${layer} ${name}`))
    const rows = Object.entries(meaningFields).flatMap(([layer, names]) =>
      Object.keys(names).map((name) => `${layer} ${name}`),
    )
    expect([...met].sort()).toEqual([...rows].sort())
  })
})

describe('what a request or a command names', () => {
  it.each([
    ['KV.Put', { key: 'caf\xc3\xa9', value: new Uint8Array(3) }, { key: 'café' }],
    ['Session.Destroy', { id: 'abc' }, { session: 'abc' }],
    ['acl.set', { id: 'a secret', name: 'web', rules: 'key' }, { name: 'web' }],
    [
      'catalog.register',
      { node: { node: 's1', id: 'n1' }, service: { id: 'web-1', service: 'web' } },
      { node: 's1', service: 'web' },
    ],
    ['txn.apply', { operations: [{ kind: 'set', key: 'a' }, { key: 'b' }] }, { kind: 'set', key: ['a', 'b'] }],
    ['Internal.KeyringOperation', { pool: 'lan', action: 'use', key: 'cg8StVXbQJ0gPvMd9o7yrg==' }, { action: 'use' }],
    [
      'intention.update',
      {
        source: { namespace: 'default', name: '*' },
        destination: { namespace: 'default', name: 'api' },
        action: 'deny',
      },
      { source: 'default/*', destination: 'default/api', action: 'deny' },
    ],
    ['Intention.Match', { by: 'source', places: [{ namespace: 'default', name: 'web' }] }, { place: 'default/web' }],
    ['Internal.Other', { nothing: 1 }, undefined],
    ['Internal.Other', 'no record', undefined],
  ])('%s %j', (method, body, about) => {
    expect(aboutOf(method, body)).toEqual(about)
  })
})

describe('what cannot be read', () => {
  it('is said to be unknown, and nothing that follows on its stream is guessed at', () => {
    const meanings = new Meanings(platform)
    const [first] = meanings.of(traced('segment', 8300, utf8('GET / HTTP/1.1\r\n\r\n'), 1))
    expect(first).toMatchObject({ layer: 'unknown', bytes: 18 })
    expect(meanings.of(traced('segment', 8300, framesOf(rpcThere), 1))).toMatchObject([{ layer: 'unknown' }])
    expect(meanings.of(traced('segment', 8500, Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 255), 2))).toEqual([
      { layer: 'unknown', name: 'bytes', bytes: 8, why: 'it is no HTTP' },
    ])
  })

  it('keeps a bounded amount of unfinished frames', () => {
    const meanings = new Meanings(platform)
    const endless = new Uint8Array(1 << 20)
    // A head of HTTP that promises two hundred megabytes.
    const head = Uint8Array.of(0, 0, 0, 4, 12, 0, 0, 0, 71, 69, 84, 10)
    expect(meanings.of(traced('segment', 8500, head, 1))[0]).toMatchObject({ layer: 'part' })
    const said = Array.from({ length: 20 }, () => meanings.of(traced('segment', 8500, endless.slice(), 1))[0]?.layer)
    expect(said.slice(0, 15)).toEqual(Array(15).fill('part'))
    expect(said.slice(-3)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(meanings.of(traced('segment', 8500, httpRequest, 1))).toMatchObject([{ layer: 'unknown' }])
  })
})
