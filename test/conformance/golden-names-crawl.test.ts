import { describe, expect, it } from 'vitest'
import { commandTree } from '../../src/cli/command-list.ts'
import { runCli } from '../../src/cli/program.ts'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { encodeQuestion } from '../../src/dns-wire/question.ts'
import { createHostEnv } from '../../src/host/env.ts'
import { placedOperations } from '../../src/http/openapi/document.ts'
import { fieldNaming } from '../../src/model/naming/naming.ts'
import { FakeTerminal } from '../unit/cli/fake-terminal.ts'
import { routes } from './agent-document.ts'
import { ask } from './ask.ts'
import { strange } from './own-name.ts'
import { startSimulatedAgent } from './simulated-agent.ts'
import { settled } from './worlds.ts'

const questions = [
  ['consul.', 'SOA'],
  ['consul.', 'NS'],
  ['consul.service.consul.', 'SRV'],
  ['none.service.consul.', 'A'],
  ['1.0.0.127.in-addr.arpa.', 'PTR'],
] as const

describe('under the name of the field, the own name leaves the process', () => {
  it('in no answer, and in no line of the log', async () => {
    const lines: string[] = []
    const wrap: NonNullable<Parameters<typeof startSimulatedAgent>[1]>['wrap'] = (env) => {
      env.log.follow('trace', (line) => lines.push(line))
      return env
    }
    const more = { names: 'consul', telemetry: { prometheus_retention_time: '1m' }, ui: true }
    const agent = await settled(await startSimulatedAgent('default', { more, wrap }), 'default')
    const found: string[] = []
    let named = 0
    try {
      for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH']) {
        for (const { path, method: with_ } of placedOperations(routes)) {
          if (with_ !== method || /monitor|leave|debug/.test(path)) continue
          for (const name of ['consul']) {
            const target = `${path.replace(/\{[^}]*\}/g, name)}${path.includes('metrics') ? '?format=prometheus' : ''}`
            const { text, headers } = await ask(
              agent.target,
              `${method} ${target}`,
              method === 'GET' ? undefined : '{}',
            )
            if (/consul/i.test(text)) named++
            const said = [...headers].map((pair) => pair.join(': ')).join('\n')
            found.push(...strange(`${said}\n${text}`).map((line) => `${method} ${target}: ${line}`))
          }
        }
      }
      for (const target of ['/', '/ui/', '/ui/app.js', '/v1/none', '/v1/agent/metrics']) {
        found.push(...strange((await ask(agent.target, `GET ${target}`)).text).map((line) => `GET ${target}: ${line}`))
      }
      for (const [name, type] of questions) {
        const packet = encodeQuestion({ id: 1, name, type })
        const asked = agent.target.beginDns({ packet, transport: 'tcp', timeoutMs: 5_000 })
        const answer = await agent.target.until(asked)
        expect(answer.kind).toBe('answer')
        if (answer.kind === 'answer') found.push(...strange(Buffer.from(answer.packet).toString('latin1')))
      }
    } finally {
      await agent.stop()
    }
    // It has looked at something: the field's name is in many answers and lines.
    expect(named).toBeGreaterThan(20)
    expect(lines.filter((line) => /consul/.test(line)).length).toBeGreaterThan(0)
    expect(strange('X-Svc-Index: 1\nspiffe://a/ns/b/dc/c/svc/d')).toEqual(['X-Svc-Index: 1'])
    expect([...new Set([...found, ...lines.flatMap(strange)])]).toEqual([])
  })

  it('in no help, manual, completion or schema', async () => {
    const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })
    const told = async (...argv: readonly string[]): Promise<string> => {
      const terminal = Object.assign(new FakeTerminal(), { programName: 'consul' })
      await runCli(argv, env, terminal)
      return terminal.written + terminal.complained
    }
    const texts = [await told(), await told('version'), await told('configtest'), await told('-autocomplete-install')]
    for (const { path } of commandTree.commands) texts.push(await told(...path, '-help'))
    for (const group of Object.keys(commandTree.groups)) texts.push(await told(...group.split(' ')))
    for (const shell of ['bash', 'zsh', 'fish']) texts.push(await told('completion', shell))
    texts.push(JSON.stringify(configJsonSchema(fieldNaming)))
    expect(texts.flatMap(strange)).toEqual([])
  })
})
