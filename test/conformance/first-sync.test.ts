import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPlatform } from '../../sim/platform/platform.ts'
import { Simulation } from '../../sim/simulation/simulation.ts'
import { textOf } from '../../src/base/bytes.ts'
import { normalize } from '../../src/config/normalize.ts'
import { parseDocument } from '../../src/config/sources/document.ts'
import { validateDocument } from '../../src/config/validate.ts'
import type { Env } from '../../src/env/env.ts'
import { startProgram } from '../../src/program/start.ts'

const ports = { dns: -1, http: 8500, server: 8300, serf_lan: 8301, serf_wan: -1 }

let platform: ReturnType<typeof createPlatform>
let simulation: Simulation
beforeEach(() => {
  platform = createPlatform()
  simulation = new Simulation({ seed: 'first-sync', platform })
})
afterEach(() => platform.close())

/** Through the same checks as a file on a disk. */
function started(host: string, more: object): (env: Env) => Promise<void> {
  const text = JSON.stringify({ bind_addr: host, client_addr: host, data_dir: '/data', ports, ...more })
  const document = parseDocument('agent.json', text)
  const checked = document.ok ? validateDocument(document.value) : document
  if (!checked.ok) throw new Error(JSON.stringify(checked.error))
  const { config } = checked.value
  return async (env) => {
    const normalized = normalize(config, false, env.machine)
    if (!normalized.ok) throw new Error(normalized.error.map(({ message }) => message).join('\n'))
    const program = await startProgram(env, normalized.value.config)
    if (!program.ok) throw new Error(program.error.message)
  }
}

async function servicesOf(env: Env): Promise<string> {
  const request = { method: 'GET', target: '/v1/catalog/services', headers: [], timeoutMs: 10_000 }
  const answer = await env.http.request({ host: '10.0.1.2', port: ports.http }, request)
  return answer.ok ? textOf(answer.value.body) : JSON.stringify(answer.error)
}

it('what an agent offers is in the catalog seconds after it joined, also when it joined before it was up', async () => {
  const server = simulation.addNode({ name: 's1', host: '10.0.1.1', directories: ['/data'] })
  const client = simulation.addNode({ name: 'c1', host: '10.0.1.2', directories: ['/data'] })
  const quick = { performance: { raft_multiplier: 1 } }
  server.boot(
    started('10.0.1.1', { ...quick, server: true, bootstrap: true, node_name: 's1', service: { name: 'web' } }),
  )
  await simulation.run({ untilMs: 20_000 })
  client.boot(started('10.0.1.2', { node_name: 'c1', start_join: ['10.0.1.1'], service: { name: 'db' } }))
  await simulation.run({ untilMs: 30_000 })
  const services = await simulation.play(client, () => servicesOf(client.env), 10_000)
  expect(JSON.parse(services)).toEqual({ db: [], svc: [], web: [] })
})
