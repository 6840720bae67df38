import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCluster } from 'svc/sim'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from './svc-sim.ts'

const deploy = join(projectRoot, 'deploy')
const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const without = (program: string): string => (has(program) ? '' : ` (skipped without ${program})`)

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs, whose shapes are what is checked here
type Document = any

function documents(path: string): readonly Document[] {
  return parseAllDocuments(read(path), { merge: true }).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS()
  })
}

function run(program: string, ...args: readonly string[]): { readonly exit: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: deploy, encoding: 'utf8' })
  return { exit: status, said: `${stdout}${stderr}` }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** What `svc validate` says of a configuration. */
function validated(text: string): string {
  const file = join(folder(), 'agent.json')
  writeFileSync(file, text)
  const more = join(folder(), 'more.json')
  writeFileSync(more, '{ "data_dir": "/var/lib/svc", "bind_addr": "127.0.0.1" }')
  return run(process.execPath, join(projectRoot, 'bin/svc.js'), 'validate', file, more).said
}

/** Whether systemd is here, and finds fault with a unit that has one: otherwise its silence would say nothing. */
function findsFaults(): boolean {
  if (!has('systemd-analyze')) return false
  const path = mkdtempSync(join(tmpdir(), 'svc-unit-'))
  writeFileSync(join(path, 'svc-broken.service'), '[Service]\nExecStart=/bin/true\nRestart=now and then\n')
  const { said } = run('systemd-analyze', 'verify', '--man=no', join(path, 'svc-broken.service'))
  rmSync(path, { recursive: true })
  return /svc-broken\.service:3: .*restart/i.test(said)
}
const analyzes = findsFaults()
const withoutAnalyzer = analyzes ? '' : ' (skipped without a systemd-analyze that finds faults)'

describe('the user data of cloud-init', () => {
  const path = 'cloud-init/server.yaml'

  it.skipIf(!has('cloud-init'))(`is accepted by its schema${without('cloud-init')}`, () => {
    const faulty = join(folder(), 'faulty.yaml')
    writeFileSync(faulty, '#cloud-config\nwrite_files:\n  - permissions: "0644"\n')
    // A schema that finds no fault at all would show nothing.
    expect(run('cloud-init', 'schema', '--config-file', faulty).exit).not.toBe(0)
    expect(run('cloud-init', 'schema', '--config-file', path)).toMatchObject({ exit: 0 })
  })

  it('has the files of systemd word for word, and a configuration that is valid', () => {
    const [userData] = documents(path)
    expect(read(path).startsWith('#cloud-config\n')).toBe(true)
    const files = new Map<string, string>(userData.write_files.map((file: Document) => [file.path, file.content]))
    expect(files.get('/etc/systemd/system/svc.service')).toBe(read('systemd/svc.service'))
    expect(files.get('/usr/lib/sysusers.d/svc.conf')).toBe(read('systemd/svc.sysusers'))
    const agent = (files.get('/etc/svc.d/server.json') ?? '').replace('{{ GetPrivateIP }}', '127.0.0.1')
    expect(validated(agent)).toContain('Configuration is valid!')
    expect([...files.keys()]).toHaveLength(3)
  })
})

describe('the units of systemd', () => {
  it.skipIf(!analyzes).each(['svc.service', 'svc-backup.service', 'svc-backup.timer'])(
    `%s is one that systemd reads without a complaint${withoutAnalyzer}`,
    (unit) => {
      const complaints = run('systemd-analyze', 'verify', '--man=no', `systemd/${unit}`).said.split('\n')
      // The program is not installed here, and units of the machine itself are not ours.
      const ours = complaints.filter((line) => line.includes('svc') && !/\/usr\/bin\/svc is not executable/.test(line))
      expect(ours).toEqual([])
    },
  )

  it.skipIf(!analyzes)(`leave little of the machine open to an agent${withoutAnalyzer}`, () => {
    // In tenths: 20 is "OK", and a service without any of these settings has 96.
    const { exit, said } = run('systemd-analyze', 'security', '--offline=true', '--threshold=20', 'systemd/svc.service')
    expect(exit, said).toBe(0)
  })
})

it('the image runs the agent under an init process that it installs, because the agent reaps no orphans of checks', () => {
  const lines = read('container/Containerfile').split('\n')
  const final = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  expect(final.some((line) => /^RUN .*apt-get install .*\btini\b/.test(line))).toBe(true)
  expect(final.filter((line) => line.startsWith('ENTRYPOINT '))).toEqual(['ENTRYPOINT ["/usr/bin/tini", "--", "svc"]'])
})

describe('what Kubernetes is given', () => {
  const base = 'kubernetes/base'
  const [kustomization] = documents(`${base}/kustomization.yaml`)
  const objects = (kustomization.resources as string[]).flatMap((file) => documents(`${base}/${file}`))
  const only = (kind: string): Document => objects.find((each) => each.kind === kind)
  const { spec } = only('StatefulSet')
  const [container] = spec.template.spec.containers

  it('is every file of its folder, and nothing else', () => {
    const generated = kustomization.configMapGenerator.flatMap(({ files }: Document) => files)
    const named = ['kustomization.yaml', ...kustomization.resources, ...generated]
    expect(named.sort()).toEqual(readdirSync(join(deploy, base)).sort())
    const [overlay] = documents('kubernetes/overlays/acl/kustomization.yaml')
    expect(overlay.resources).toEqual(['../../base'])
    expect(overlay.configMapGenerator.map(({ name }: Document) => name)).toEqual(['svc-server'])
  })

  it('fits together: names of services, ports, volumes and labels', () => {
    const services = objects.filter(({ kind }) => kind === 'Service')
    expect(services.map(({ metadata }) => metadata.name)).toContain(spec.serviceName)
    const ports = container.ports.map(({ name }: Document) => name)
    for (const service of services) {
      expect(spec.template.metadata.labels).toMatchObject(service.spec.selector)
      for (const { targetPort } of service.spec.ports) expect(ports).toContain(targetPort)
    }
    expect(ports).toContain(container.livenessProbe.httpGet.port)
    expect(only('PodDisruptionBudget').spec.selector).toEqual(spec.selector)
    const volumes = [
      ...spec.template.spec.volumes,
      ...spec.volumeClaimTemplates.map(({ metadata }: Document) => metadata),
    ]
    const mounted = container.volumeMounts.map(({ name }: Document) => name)
    expect(mounted.sort()).toEqual(volumes.map(({ name }: Document) => name).sort())
    const maps = kustomization.configMapGenerator.map(({ name }: Document) => name)
    for (const { configMap } of spec.template.spec.volumes) if (configMap) expect(maps).toContain(configMap.name)
  })

  it('loses no majority by a drain, and finds its servers by the name of their service', () => {
    const config = JSON.parse(read(`${base}/server.json`))
    expect([spec.replicas, config.bootstrap_expect]).toEqual([3, 3])
    expect(only('PodDisruptionBudget').spec.maxUnavailable).toBe(1)
    const { name, namespace = kustomization.namespace } = objects.find(
      ({ metadata }) => metadata.name === spec.serviceName,
    ).metadata
    expect(config.retry_join).toEqual([`provider=dns name=${name}.${namespace}.svc.cluster.local port=8301`])
  })
})

describe('configurations of agents', () => {
  const [compose] = documents('container/compose.yaml')
  it.each([
    ['of compose.yaml', compose.configs.server.content],
    ['of Kubernetes', read('kubernetes/base/server.json')],
    ['of access control', read('kubernetes/overlays/acl/acl.json')],
  ])('%s are valid, and none of their keys is unknown', (_, text) => {
    expect(validated(text)).toBe('Configuration is valid!\n')
  })

  it('of compose.yaml join the servers that there are', () => {
    expect(Object.keys(compose.services)).toEqual(JSON.parse(compose.configs.server.content).retry_join)
  })
})

const dashboard = JSON.parse(read('grafana/cluster.json'))
const panels = dashboard.panels.filter(({ type }: Document) => type !== 'row')
const drawn: readonly string[] = panels.flatMap(({ targets }: Document) => targets.map(({ expr }: Document) => expr))
const [alerts] = documents('prometheus/alerts.yaml')
const alarmed: readonly string[] = alerts.groups.flatMap(({ rules }: Document) =>
  rules.map(({ expr }: Document) => expr),
)

/** With values for what the dashboard's readers choose. */
const chosen = (text: string): string => text.replaceAll('$job', 'svc').replaceAll('$__rate_interval', '1m')

describe('what watches a cluster', () => {
  it.skipIf(!has('promtool'))(
    `are rules and queries that promtool reads, and rules that fire when they should${without('promtool')}`,
    () => {
      for (const args of [
        ['check', 'config', 'prometheus/scrape.yaml'],
        ['check', 'rules', 'prometheus/alerts.yaml'],
        ['test', 'rules', 'prometheus/alerts.test.yaml'],
      ]) {
        const { exit, said } = run('promtool', ...args)
        expect(exit, said).toBe(0)
      }
      const file = join(folder(), 'panels.yaml')
      const rules = drawn.map((expr, at) => ({ record: `panel:${at}`, expr: chosen(expr) }))
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
      const { exit, said } = run('promtool', 'check', 'rules', file)
      expect(exit, said).toBe(0)
    },
  )

  it('has a test for each of its alerts', () => {
    const [tests] = documents('prometheus/alerts.test.yaml')
    const fired = tests.tests.flatMap(({ alert_rule_test }: Document) =>
      alert_rule_test.filter(({ exp_alerts }: Document) => exp_alerts).map(({ alertname }: Document) => alertname),
    )
    const named = alerts.groups.flatMap(({ rules }: Document) => rules.map(({ alert }: Document) => alert))
    expect([...new Set(fired)].sort()).toEqual([...named].sort())
  })

  it('is a dashboard whose panels have numbers of their own, and do not lie on each other', () => {
    const ids = dashboard.panels.map(({ id }: Document) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }: Document) => {
      expect(x + w).toBeLessThanOrEqual(24)
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`)
    })
    expect(new Set(cells).size).toBe(cells.length)
  })

  it('names only metrics that a running cluster has', async () => {
    const telemetry = { prometheus_retention_time: '10m', disable_hostname: true }
    const c = await createCluster({ servers: 3, clients: 1, config: { telemetry, connect: { enabled: true } } })
    const session = await c.fetch('c1', '/v1/session/create', { method: 'PUT', body: '{"TTL":"30s"}' })
    expect(session.status).toBe(200)
    expect((await c.resolve('s1', 'svc.service.svc', 'A')).rcode).toBe('NOERROR')
    await c.advance('5s')
    c.crash('c1')
    await c.advance('40s')
    const texts = await Promise.all(
      ['s1', 's2', 's3'].map(async (node) => (await c.fetch(node, '/v1/agent/metrics?format=prometheus')).text()),
    )
    await c.close()
    const there = new Set(texts.join('\n').match(/^[a-z]\w*/gm))
    // The condition of a process is no simulated agent's: test/e2e/prometheus.test.ts has these.
    const ofProcesses = /^(?:process_|svc_runtime_)/
    const named = [...drawn, ...alarmed].flatMap((expr) => expr.match(/\b(?:svc|process)_\w+/g) ?? [])
    expect(named.length).toBeGreaterThan(25)
    expect([...new Set(named)].filter((name) => !there.has(name) && !ofProcesses.test(name))).toEqual([])
  })
})
