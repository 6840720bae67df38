import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { devAgent, freePorts, leads, type RealAgent } from './real-agent.ts'

const isThere = spawnSync('promtool', ['--version']).error === undefined

let agent: RealAgent | undefined
afterAll(() => agent?.stop('SIGKILL'))

it('promtool reads our metrics, and finds fault with nothing but names that are those of the field', async (context) => {
  if (!isThere) return context.skip('promtool is not there (Debian: prometheus)')
  const ports = await freePorts()
  const more = '-hcl=telemetry { prometheus_retention_time = "60s" disable_hostname = true }'
  const started = devAgent(ports, '-node=n0', more)
  agent = started
  await leads(started)
  const body = JSON.stringify({ Node: 'a "b" \\c', Address: '10.1.2.3', Service: { Service: 'wéb' } })
  expect((await started.request('PUT', '/v1/catalog/register', body)).status).toBe(200)
  expect((await started.request('GET', '/v1/health/service/w%C3%A9b')).status).toBe(200)
  expect((await started.request('GET', '/v1/health/service/a%22b%5C?tag=t%C3%A4%0Ag')).status).toBe(200)
  const metrics = await started.request('GET', '/v1/agent/metrics?format=prometheus')
  expect(metrics.status).toBe(200)
  const input = await metrics.text()
  expect(input.split('\n').length).toBeGreaterThan(50)
  expect(input).toMatch(/^\w+_health_service_query_tags\{service="a\\"b\\\\",tag="tä\\ng"\} 1$/m)
  const checked = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  const said = `${checked.stdout}${checked.stderr}`.split('\n').filter((line) => line !== '')
  const ofNames =
    /^\w+ (counter metrics should have "_total" suffix|metric names should (be written in 'snake_case'|not contain abbreviated units))/
  expect(said.filter((line) => !ofNames.test(line))).toEqual([])
  // Those of the dashboard and the alerts that only a real process has; test/scenario/deploy.test.ts has the others.
  const watched = ['grafana/cluster.json', 'prometheus/alerts.yaml'].flatMap(
    (path) =>
      readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8').match(/\b(?:process_|svc_runtime_)\w+/g) ??
      [],
  )
  expect(watched.length).toBeGreaterThan(3)
  for (const name of watched) expect(input).toMatch(new RegExp(`^${name}(?:\\{| )`, 'm'))
  // 1 stands for text that it cannot read, 3 for advice.
  expect([0, 3]).toContain(checked.status)
})
