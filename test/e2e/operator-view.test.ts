import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { eventually, makeWorkplace, type RealCluster, runSvc, startThree } from './real-agent.ts'

let cluster: RealCluster | undefined

afterEach(async () => {
  await cluster?.stopAll()
  cluster = undefined
})

it('a command that serves nothing loads neither the HTTP server nor the schemas', async () => {
  const workplace = makeWorkplace()
  const before = process.env['NODE_V8_COVERAGE']
  process.env['NODE_V8_COVERAGE'] = workplace.path
  const finished = await runSvc(['version'])
  if (before === undefined) delete process.env['NODE_V8_COVERAGE']
  else process.env['NODE_V8_COVERAGE'] = before
  const loaded = readdirSync(workplace.path).flatMap((name) => sourcesLoaded(`${workplace.path}/${name}`))
  workplace.remove()
  expect(finished.code).toBe(0)
  expect(loaded.some((source) => source.endsWith('/src/cli/program.ts'))).toBe(true)
  for (const heavy of ['fastify', 'zod', 'msgpackr']) {
    expect(loaded.filter((source) => source.includes(`/node_modules/${heavy}/`))).toEqual([])
  }
})

/** What a report of coverage says was loaded, by the maps beside the files: a bundle holds many sources. */
function sourcesLoaded(report: string): readonly string[] {
  const { result } = JSON.parse(readFileSync(report, 'utf8')) as { readonly result: readonly { url: string }[] }
  // Modules are named by their address, files of a bundle from the folder of the program on, wherever it was built.
  const files = result.flatMap(({ url }) => {
    if (url.startsWith('file:')) return [fileURLToPath(url)]
    return url.startsWith('dist/bundle/') ? [`${fileURLToPath(new URL('../../', import.meta.url))}${url}`] : []
  })
  return files.flatMap((file) => {
    if (!existsSync(`${file}.map`)) return [file]
    return (JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] }).sources
  })
}

it('servers that form a cluster say so once, and say nothing that is empty', async () => {
  cluster = await startThree(1)
  const { agents } = cluster
  await cluster.leaderAt()
  const outputs = agents.map((agent) => agent.output)
  expect(outputs.join('')).toContain('forming the cluster')
  for (const output of outputs) {
    expect(output.split('forming the cluster').length).toBeLessThanOrEqual(2)
    expect(output).not.toMatch(/(servers|leader)=""/)
    expect(output).not.toMatch(/\.\d{4}/)
  }
})

it('a leader that was suspended does not answer reads of before when it comes back', async () => {
  cluster = await startThree(1)
  const { agents } = cluster
  const at = await cluster.leaderAt()
  const old = agents[at]
  const other = agents[(at + 1) % 3]
  if (old === undefined || other === undefined) throw new Error('three agents')
  expect((await old.request('PUT', '/v1/kv/x', 'before')).status).toBe(200)
  process.kill(old.pid, 'SIGSTOP')
  await eventually('a write without the old leader', async () => {
    const response = await other.request('PUT', '/v1/kv/x', 'after')
    return response.status === 200 ? true : undefined
  })
  const asked = Array.from({ length: 20 }, () => old.text('/v1/kv/x?consistent&raw'))
  process.kill(old.pid, 'SIGCONT')
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['after']))
})
