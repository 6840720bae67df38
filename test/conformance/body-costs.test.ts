import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { features } from '../../src/agent/assembly/features.ts'
import { bodyMembersMax } from '../../src/model/limits.ts'
import { machineSlowness, textPassMs, threadCpuMs } from '../tools/turn-cpu.ts'
import { ask } from './ask.ts'
import { type SimulatedAgent, startSimulatedAgent } from './simulated-agent.ts'
import { worstBodies } from './worst-bodies.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'

/**
 * CPU time of this thread, from the request to its answer and what follows from it. In a short run nothing is warm yet:
 * the bound then only tells bodies whose cost grows without one.
 */
const cpuMsMax = (isLong ? 50 : 250) * machineSlowness()
/**
 * Of rules, which managers of access control alone may send: their bounds (accessRulesMax) also hold for what is
 * stored. All turns together: of a turn `rule-stalls.test.ts` has the bound.
 */
const rulesCpuMsMax = (isLong ? 75 : 300) * machineSlowness()

/** In the gate a sample, and the kinds that were found outside. */

describe('a body of any route', () => {
  let agent: SimulatedAgent
  beforeAll(async () => {
    agent = await startSimulatedAgent('default')
    await agent.target.pause(2_000)
  }, 60_000)
  afterAll(() => agent.stop())

  const cost = async (line: string, body: string): Promise<{ cpuMs: number; status: number; text: string }> => {
    const before = threadCpuMs()
    const { status, text } = await ask(agent.target, line, body)
    return { cpuMs: threadCpuMs() - before, status, text }
  }

  it.each([
    ['as far as a request may', undefined],
    ['as far as its counts may', bodyMembersMax],
  ])(
    'costs no more than it may, grown %s',
    async (_how, piecesMax) => {
      const bodies = worstBodies(
        features.flatMap(({ routes }) => routes ?? []),
        piecesMax,
      )
      const chosen = bodies.filter(
        ({ label }, at) =>
          isLong || at % 96 === 0 || /register (Service\.)?(Checks\[\]|Tags\[\]|unknown members)$/.test(label),
      )
      expect(bodies.length).toBeGreaterThan(500)
      const table: [string, number, number, string][] = []
      for (const { label, line, body: make } of chosen) {
        const body = make()
        let best = await cost(line, body)
        for (let tries = 0; tries < 2 && best.cpuMs > cpuMsMax; tries++) {
          const again = await cost(line, body)
          if (again.cpuMs < best.cpuMs) best = again
        }
        table.push([label, Math.round(best.cpuMs), best.status, best.text.slice(0, 90).replaceAll('\n', ' ')])
      }
      const slow = table.filter(([, cpuMs]) => cpuMs > cpuMsMax).sort((a, b) => b[1] - a[1])
      if (process.env['SVC_PRINT_COSTS'] === '1')
        for (const row of table.sort((a, b) => b[1] - a[1])) console.log(row.join(' | '))
      expect(slow).toEqual([])
    },
    600_000,
  )
})

/**
 * All turns together, in plain passes over the same text. Of names as long as a body, which the field does not bound,
 * each pass over the text counts.
 */
const namePassesMax = 12

describe('a name as long as a body', () => {
  let agent: SimulatedAgent
  beforeAll(async () => {
    agent = await startSimulatedAgent('default')
    await agent.target.pause(2_000)
  }, 60_000)
  afterAll(() => agent.stop())

  it.each([
    ['capitals among letters beyond ASCII', 'X\u0142'],
    ['quotes', '"'],
  ])(
    'of %s costs no more than it may',
    async (_what, piece) => {
      const name = piece.repeat(1_040_000 / Buffer.byteLength(JSON.stringify(piece).slice(1, -1)))
      for (const [line, body] of [
        ['PUT /v1/agent/check/register', { Name: name, TTL: '10s' }],
        ['PUT /v1/catalog/register', { Node: name, Address: '10.0.0.9' }],
      ] as const) {
        const text = JSON.stringify(body)
        let best = Number.POSITIVE_INFINITY
        for (let tries = 0; tries < 5 && best >= namePassesMax; tries++) {
          const pass = textPassMs(text)
          const before = threadCpuMs()
          expect((await ask(agent.target, line, text)).status).toBe(200)
          best = Math.min(best, (threadCpuMs() - before) / pass)
        }
        expect(best, line).toBeLessThan(namePassesMax)
      }
    },
    60_000,
  )
})

describe('rules of access control', () => {
  const token = 'token=bootstrap-me'
  let named = 0
  let agent: SimulatedAgent
  beforeAll(async () => {
    const acl = { enabled: true, default_policy: 'deny', tokens: { master: 'bootstrap-me' } }
    agent = await startSimulatedAgent('acl-bootstrap', { more: { acl } })
    while ((await ask(agent.target, `GET /v1/acl/list?${token}`)).status !== 200) await agent.target.pause(50)
    await agent.target.pause(2_500)
  }, 60_000)
  afterAll(() => agent.stop())

  const many = (piece: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => piece(at)).join('')
  it.each([
    ['as many as there may be', many((at) => `key "k${at}" { policy = "read" }\n`, 8_192)],
    ['more than there may be', many((at) => `key "k${at}" { policy = "read" }\n`, 20_000)],
    ['as long as they may be', many((at) => `key_prefix "${'k'.repeat(480)}${at}" { policy = "write" }\n`, 1_000)],
    ['too long', 'x'.repeat(900_000)],
    ['nested', 'key "a" {'.repeat(50_000)],
    ['a comment', `/* ${'*'.repeat(500_000)}`],
    ['blocks of no meaning', 'a{}'.repeat(170_000)],
    ['values of no meaning', many((at) => `a${at}=1\n`, 50_000)],
    ['a list', `key "a" { policy = [${'"a",'.repeat(100_000)}] }`],
    [
      'as JSON',
      JSON.stringify({
        key: Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`k${at}`, { policy: 'read' }])),
      }),
    ],
  ])('that are %s cost no more than they may', async (_what, rules) => {
    const times: number[] = []
    for (const line of ['PUT /v1/acl/policy', 'PUT /v1/acl/create', 'POST /v1/acl/rules/translate']) {
      let best = Number.POSITIVE_INFINITY
      for (let tries = 0; tries < (isLong ? 3 : 1) || (tries < 4 && best > rulesCpuMsMax); tries++) {
        const body = line.endsWith('translate') ? rules : JSON.stringify({ Name: `p${named++}`, Rules: rules })
        const before = threadCpuMs()
        await ask(agent.target, `${line}?${token}`, body)
        best = Math.min(best, threadCpuMs() - before)
      }
      times.push(Math.round(best))
    }
    if (process.env['SVC_PRINT_COSTS'] === '1') console.log(_what, times.join(' | '))
    expect(times.filter((ms) => ms > rulesCpuMsMax)).toEqual([])
  })
})
