import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../tools/planted.ts'
import { freePorts, leads, makeWorkplace, portFlags, RealAgent } from './real-agent.ts'

/** Bytes of all files of the package, unpacked. */
const unpackedMax = 8_000_000

interface Packed {
  readonly filename: string
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string }[]
}

const workplace = makeWorkplace()
const installed = join(workplace.path, 'node_modules/svc')
const cache = join(workplace.path, 'cache')
const environment = { XDG_CACHE_HOME: cache }
let packed: Packed
let unpacked: readonly string[]

const run = promisify(execFile)

/**
 * Packs what is built and installs it with links to the production packages of this checkout: nothing is downloaded.
 */
beforeAll(async () => {
  const flags = ['--ignore-scripts', '--json', '--pack-destination', workplace.path]
  const { stdout } = await run('npm', ['pack', ...flags], { cwd: projectRoot, maxBuffer: 1 << 24 })
  const [only] = JSON.parse(stdout) as readonly [Packed]
  packed = only
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(workplace.path, packed.filename), '-C', installed, '--strip-components=1'])
  for (const path of productionPackages()) {
    const link = join(workplace.path, path)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(projectRoot, path), link, 'junction')
  }
  unpacked = filesOf(installed)
})

afterAll(() => workplace.remove())

/** What lies directly in `node_modules` where the packages for development are left out, by the lock file. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  const direct = Object.keys(packages).filter((path) => path.split('node_modules/').length === 2)
  return direct.filter((path) => packages[path]?.dev !== true && existsSync(join(projectRoot, path)))
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
}

function command(name: 'svc' | 'svc-sim', ...args: readonly string[]): { status: number | null; out: string } {
  const env = { ...process.env, ...environment }
  const argv = [join(installed, `bin/${name}.js`), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env, cwd: installed })
  return { status, out: stdout + stderr }
}

describe('the package of npm', () => {
  it(`unpacks to less than ${unpackedMax / 1e6} MB`, () => {
    expect(packed.unpackedSize).toBeLessThan(unpackedMax)
  })

  it('ships no tests, maps, sources or what V8 kept on another machine, and of declarations those of svc/sim alone', () => {
    const paths = packed.files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['bin/svc.js', 'dist/bundle/svc.cjs', 'dist/bundle/svc-sim.cjs']))
    const needless = paths.filter((path) =>
      /\.(map|ts|tsbuildinfo)$|\.cjs\.|^(src|sim|test|bench)\/|^dist\/(?!bundle\/|pages\/|revision$)/.test(path),
    )
    expect(needless).toEqual(['dist/sim/library.d.ts'])
  })

  it('says its version, and keeps for the user what V8 compiled', () => {
    const version = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version
    expect(command('svc', 'version')).toMatchObject({ status: 0, out: expect.stringContaining(`Svc v${version}`) })
    const [build = ''] = readdirSync(join(cache, 'svc'))
    expect(existsSync(join(cache, 'svc', build, 'svc/svc.cjs'))).toBe(true)
    expect(command('svc', 'version').status).toBe(0)
  })

  it('runs an agent that leads and keeps keys', async () => {
    const ports = await freePorts()
    const program = join(installed, 'bin/svc.js')
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', ...portFlags(ports)], environment, program)
    try {
      await leads(agent)
      expect((await agent.request('PUT', '/v1/kv/color', 'blue')).status).toBe(200)
      expect(await (await agent.request('GET', '/v1/kv/color?raw')).text()).toBe('blue')
    } finally {
      await agent.stop('SIGTERM')
    }
    const [build = ''] = readdirSync(join(cache, 'svc'))
    expect(readdirSync(join(cache, 'svc', build, 'svc/parts'))).toContain('fastify.cjs')
  })

  it('is a program of the field by a link to its bin, with that name and those variables alone', async () => {
    const bin = join(workplace.path, 'bin')
    mkdirSync(bin)
    symlinkSync(join(installed, 'bin/svc.js'), join(bin, 'consul'))
    const ports = await freePorts()
    const own = { ...environment, PATH: `${bin}:${process.env['PATH'] ?? ''}`, SVC_HTTP_ADDR: '127.0.0.1:1' }
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, ['-dev', ...portFlags(ports)], own, 'consul')
    try {
      await leads(agent)
      expect(agent.output).toContain('==> Consul agent running!')
      const env = { ...process.env, ...own, CONSUL_HTTP_ADDR: agent.address }
      const listed = spawnSync('consul', ['catalog', 'services'], { encoding: 'utf8', env })
      expect(listed).toMatchObject({ status: 0, stdout: 'consul\n' })
      const version = spawnSync('consul', ['version'], { encoding: 'utf8', env }).stdout
      expect([version.split(' ')[0], /svc/i.test(version)]).toEqual(['Consul', false])
    } finally {
      await agent.stop('SIGTERM')
    }
  })

  it('runs a scenario that it ships', () => {
    const ran = command('svc-sim', 'run', 'scenarios/upgrade-single-server-raft3.yaml', '--quiet')
    expect(ran).toMatchObject({ status: 0, out: expect.stringContaining('passed: A single server that cannot elect') })
  })

  it('gives a simulated cluster to the tests of another program, with types', () => {
    const program = `import { createCluster } from 'svc/sim'
      const cluster = await createCluster({ servers: 1 })
      console.log((await cluster.fetch('s1', '/v1/kv/a', { method: 'PUT', body: 'x' })).status)
      await cluster.close()`
    const file = join(workplace.path, 'uses-it.mjs')
    writeFileSync(file, program)
    const env = { ...process.env, ...environment }
    const ran = spawnSync(process.execPath, [file], { encoding: 'utf8', env, cwd: workplace.path })
    expect(ran).toMatchObject({ status: 0, stdout: '200\n', stderr: '' })
    const typed = join(workplace.path, 'uses-it.mts')
    writeFileSync(typed, program.replace('status', "headers.get('x-svc-index')"))
    const compiler = join(projectRoot, 'node_modules/@typescript/native/bin/tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const roots = ['--typeRoots', join(projectRoot, 'node_modules/@types')]
    const compiled = spawnSync(process.execPath, [compiler, ...flags, ...roots, typed], {
      encoding: 'utf8',
      cwd: workplace.path,
    })
    expect(compiled).toMatchObject({ status: 0, stdout: '' })
  })

  it('finds a planted bug in a copy of its modules', () => {
    const ran = command('svc-sim', 'run', '--bug', 'tail-kept', '--seed', '1', '--story', 'none')
    expect(ran).toMatchObject({
      status: 1,
      out: expect.stringMatching(/P1 \(no panic\): s\d panics: log entries follow/),
    })
  })

  it('has written nothing into its own folder, which may be read-only', () => {
    expect(filesOf(installed)).toEqual(unpacked)
  })
})
