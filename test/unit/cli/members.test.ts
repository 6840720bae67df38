import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run, server } from './answered-run.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-cli-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function member(name: string, status: number, tags: object): object {
  return { Name: name, Addr: '10.0.0.1', Port: 8301, Tags: tags, Status: status }
}
const members = [
  member('c1', 4, { role: 'node', build: '1.4.0:', vsn: '2', dc: 'dc1' }),
  member('s2', 3, server),
  member('s1', 1, { ...server, segment: '<all>' }),
]

describe('svc members', () => {
  const answers = { 'GET /v1/agent/members': members }

  it('[CLI-004 MEM-018 MEM-019 MEM-021] has the columns of the reference, servers first', async () => {
    const { code, out, asked } = await run(['members'], answers)
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'Node  Address        Status  Type    Build  Protocol  DC   Segment',
        's1    10.0.0.1:8301  alive   server  1.4.0  2         dc1  <all>',
        's2    10.0.0.1:8301  left    server  1.4.0  2         dc1  <all>',
        'c1    10.0.0.1:8301  failed  client  1.4.0  2         dc1  <default>',
        '',
      ].join('\n'),
    )
    expect(asked).toEqual(['GET /v1/agent/members'])
  })

  it('[MEM-020] shows the release of each agent, and the protocol of the pool, not Raft’s', async () => {
    const mixed = [
      member('s1', 1, { ...server, build: '0.7.0:', raft_vsn: '1' }),
      member('s2', 1, { ...server, build: '1.0.0:', raft_vsn: '3' }),
      member('c1', 1, { role: 'node', build: '1.4.0:', vsn: '2', dc: 'dc1' }),
    ]
    const { out } = await run(['members'], { 'GET /v1/agent/members': mixed })
    const columns = out.split('\n').map((line) => line.split(/ {2,}/))
    expect(columns[0]?.slice(4, 6)).toEqual(['Build', 'Protocol'])
    expect(columns.slice(1, 4).map(([name, , , , build, protocol]) => [name, build, protocol])).toEqual([
      ['s1', '0.7.0', '2'],
      ['s2', '1.0.0', '2'],
      ['c1', '1.4.0', '2'],
    ])
  })

  it('[CLI-005 MEM-022] -detailed has the tags, sorted', async () => {
    const { out } = await run(['members', '-detailed', '-status=alive'], answers)
    expect(out).toBe(
      'Node  Address        Status  Tags\ns1    10.0.0.1:8301  alive   build=1.4.0:abc,dc=dc1,id=x,raft_vsn=3,role=svc,segment=<all>,vsn=2\n',
    )
  })

  it('-status picks by a pattern; when none matches nothing is printed and the code is 2', async () => {
    expect((await run(['members', '-status=^(left|failed)$'], answers)).out.split('\n')).toHaveLength(4)
    expect(await run(['members', '-status=leaving'], answers)).toMatchObject({ code: 2, out: '', error: '' })
    expect(await run(['members', '-status=('], answers)).toMatchObject({
      code: 1,
      error: '-status "(" is not a regular expression\n',
    })
  })

  it.each([
    [['kv', 'get', 'a', 'b'], 'Error! Too many arguments (expected 1, got 2)\n'],
    [['kv', 'delete', 'a', 'b'], 'Error! Too many arguments (expected 1, got 2)\n'],
    [['kv', 'put', 'a', 'b', 'c'], 'Error! Too many arguments (expected 2, got 3)\n'],
  ])('%j has an operand too many, and nobody is asked', async (argv, error) => {
    expect(await run(argv)).toMatchObject({ code: 1, asked: [], error })
  })

  it('-segment asks for one segment, and what the agent says of segments is shown', async () => {
    const all = { 'GET /v1/agent/members?segment=_all': members }
    expect((await run(['members', '-segment=_all'], all)).out).toBe((await run(['members'], answers)).out)
    const none = { 'GET /v1/agent/members?segment=a': new Error('Network segments are not supported') }
    expect(await run(['members', '-segment=a'], none)).toMatchObject({
      code: 1,
      error: 'Error retrieving members: Unexpected response code: 500 (Network segments are not supported)\n',
    })
  })

  it('-wan asks for the other pool', async () => {
    const { code, asked } = await run(['members', '-wan'], { 'GET /v1/agent/members?wan=1': null })
    expect({ code, asked: asked[0] }).toEqual({ code: 2, asked: 'GET /v1/agent/members?wan=1' })
  })
})

describe('svc join, leave, force-leave and reload', () => {
  it('join counts the addresses that answered and names those that did not', async () => {
    const answers = {
      'PUT /v1/agent/join/10.0.0.1': '',
      'PUT /v1/agent/join/10.0.0.2%3A9': new Error('Failed to join 10.0.0.2'),
    }
    expect(await run(['join', '10.0.0.1', '10.0.0.2:9'], answers)).toMatchObject({
      code: 0,
      out: 'Successfully joined cluster by contacting 1 nodes.\n',
      error: "Error joining address '10.0.0.2:9': Unexpected response code: 500 (Failed to join 10.0.0.2)\n",
    })
    const listed = { 'PUT /v1/agent/join/nope': new Error('1 error(s) occurred:\n\n* Failed to join nope') }
    expect((await run(['join', 'nope'], listed)).error.split('\n')[0]).toBe(
      "Error joining address 'nope': Unexpected response code: 500 (1 error(s) occurred: * Failed to join nope)",
    )
    const none = await run(['join', '10.0.0.2:9'], answers)
    expect(none.code).toBe(1)
    expect(none.error.split('\n')[1]).toBe('Failed to join any nodes.')
  })

  it('ask each its own endpoint', async () => {
    expect(await run(['leave'], { 'PUT /v1/agent/leave': '' })).toMatchObject({
      code: 0,
      out: 'Graceful leave complete\n',
    })
    expect(await run(['force-leave', 'a b'], { 'PUT /v1/agent/force-leave/a%20b': '' })).toMatchObject({
      code: 0,
      out: '',
    })
    expect(await run(['reload'], { 'PUT /v1/agent/reload': '' })).toMatchObject({
      code: 0,
      out: 'Configuration reload triggered\n',
    })
    expect(await run(['reload'], { 'PUT /v1/agent/reload': new Error('a.json:1:1: bad') })).toMatchObject({
      code: 1,
      error: 'Error reloading: Unexpected response code: 500 (a.json:1:1: bad)\n',
    })
  })

  it.each([
    [['join'], 'At least one address to join must be specified.'],
    [['leave', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['force-leave'], 'A single node name must be specified to force leave.'],
    [['force-leave', 'a', 'b'], 'A single node name must be specified to force leave.'],
    [['reload', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['catalog', 'nodes', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['catalog', 'services', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['members', 'x', 'y'], 'Too many arguments (expected 0, got 2)'],
    [['info', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['keygen', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['keyring', '-list', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['version', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['maint', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['operator', 'raft', 'list-peers', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['operator', 'raft', 'remove-peer', '-id=a', 'x'], 'Too many arguments (expected 0, got 1)'],
    [['services', 'register'], 'Service registration requires at least one argument or flags.'],
    [['services', 'deregister'], 'Service deregistration requires at least one argument or -id.'],
    [['validate'], 'Must specify at least one config file or directory'],
    [['lock', '-timeout=soon', 'a', 'true'], '-timeout soon: not a duration such as 10s or 1m30s'],
    [['lock', '-try=-1s', 'a', 'true'], '-try -1s: not a duration such as 10s or 1m30s'],
    [['lock', '-monitor-retry=-1', 'a', 'true'], '-monitor-retry -1: not a whole number of 0 or more'],
    [['lock', '-monitor-retry=x', 'a', 'true'], '-monitor-retry x: not a whole number of 0 or more'],
  ])('a mistake in %j is named first, the help follows, and nobody is asked', async (argv, line) => {
    const { code, error, asked } = await run(argv)
    expect({ code, asked }).toEqual({ code: 1, asked: [] })
    expect(error.split('\n')[0]).toBe(line)
    expect(error).toContain('Usage: svc ')
  })
})
