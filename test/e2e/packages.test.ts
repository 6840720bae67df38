import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { projectRoot } from '../tools/planted.ts'
import { freePorts, leads, portFlags, RealAgent } from './real-agent.ts'

/** Each of two builds of packages takes half a minute. */
const isLong = process.env['SVC_TEST_LONG'] === '1'
const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0
const canBootstrap = spawnSync('debootstrap', ['--version']).status === 0 && process.getuid?.() === 0

describe('the scripts of the Debian package', () => {
  it.each(['postinst', 'prerm', 'postrm'])('%s is read by a shell', (name) => {
    expect(spawnSync('sh', ['-n', join(projectRoot, 'deploy/debian', name)], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

describe.runIf(isLong && process.platform === 'linux')('npm run package', () => {
  let folder: string
  let names: readonly string[]
  const made = (name: string): string => join(folder, 'first', name)

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-packages-'))
    for (const target of ['first', 'second']) {
      execFileSync(process.execPath, ['test/tools/package/main.mjs', join(folder, target)], { cwd: projectRoot })
    }
    names = readdirSync(join(folder, 'first'))
    symlinkSync(programName('svc'), made('svc'))
    symlinkSync(programName('svc'), made('svc-sim'))
  }, 1_200_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const programName = (name: 'svc' | 'svc-sim'): string => {
    const found = names.find((each) => each.startsWith(`${name}-1`) && !each.endsWith('.tgz'))
    if (found === undefined) throw new Error(`there is no ${name} in ${names.join(', ')}`)
    return found
  }
  const run = (name: string, ...args: readonly string[]) => {
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') }
    return spawnSync(made(name), args, { encoding: 'utf8', env, cwd: projectRoot })
  }

  it('gives the same bytes twice', () => {
    expect(names.length).toBeGreaterThan(4)
    for (const name of names) {
      const [first, second] = ['first', 'second'].map((target) => readFileSync(join(folder, target, name)))
      expect(second !== undefined && first?.equals(second), name).toBe(true)
    }
    const check = spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: join(folder, 'first') })
    expect(check.status).toBe(0)
  })

  it('lists each package that is needed to run, and Node, with versions', () => {
    const { components } = JSON.parse(readFileSync(made('sbom.cdx.json'), 'utf8')) as {
      readonly components: readonly { readonly name: string; readonly version: string }[]
    }
    const listed = new Map(components.map(({ name, version }) => [name, version]))
    const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    for (const [name, version] of Object.entries(dependencies)) expect(listed.get(name), name).toBe(version)
    expect(listed.has('preact')).toBe(true)
    expect(listed.get('node')).toBe(process.versions.node)
    expect(listed.has('vitest')).toBe(false)
  })

  it('has an agent in its one file, which serves, and whose commands speak to it', async () => {
    const ports = await freePorts()
    const args = ['-dev', ...portFlags(ports)]
    const agent = new RealAgent(`127.0.0.1:${ports.http}`, args, {}, made('svc'))
    try {
      await leads(agent)
      expect(run('svc', 'kv', 'put', `-http-addr=${agent.address}`, 'a', 'b').stdout).toContain('Success!')
      expect(run('svc', 'kv', 'get', `-http-addr=${agent.address}`, 'a').stdout).toBe('b\n')
      const page = await agent.text('/ui/')
      const parts = [...page.matchAll(/(?:src|href)="([^":]+\.(?:js|css))"/g)].map(([, path = '']) => path)
      expect(parts.length).toBeGreaterThan(1)
      for (const part of parts) {
        const { pathname } = new URL(part, `http://${agent.address}/ui/`)
        expect((await agent.request('GET', pathname)).status, pathname).toBe(200)
      }
    } finally {
      await agent.stop('SIGKILL')
    }
  })

  it('runs a seed with the same trace as Node, in workers of its own too, and says what it cannot do', () => {
    const words = ['run', 'scenarios/leader-process-dies.yaml', '--seeds', '1..3', '--jobs', '2']
    const hashes = (text: string) => text.match(/(?<=trace )[0-9a-f]+/g)
    const told = run('svc-sim', ...words)
    expect(hashes(told.stdout), told.stderr).toHaveLength(3)
    const plain = spawnSync(process.execPath, ['bin/svc-sim.js', ...words], { cwd: projectRoot, encoding: 'utf8' })
    expect(hashes(told.stdout)).toEqual(hashes(plain.stdout))
    const refused = run('svc-sim', 'self-test', '--bug', 'tail-kept')
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('install the package of npm')])
  })

  it.runIf(hasDpkg && canBootstrap)(
    'is installed in a bare Debian, serves there, and is removed without a trace',
    () => {
      const bare = join(folder, 'bare')
      execFileSync('debootstrap', ['--variant=minbase', 'stable', bare], { stdio: 'pipe' })
      const inside = (script: string) => spawnSync('chroot', [bare, 'sh', '-ec', script], { encoding: 'utf8' })
      // Tools that change users keep the file before: /etc/shadow-.
      const files = () => inside('find / -xdev ! -path "/var/*" ! -path "*/.cache*" ! -path "/etc/*-" | sort').stdout
      const before = files()
      const debian = names.find((name) => name.endsWith('.deb')) as string
      copyFileSync(made(debian), join(bare, 'var', basename(debian)))
      expect(inside(`dpkg -i /var/${debian}`).status).toBe(0)
      const served = inside(`stat -c '%U %G %a' /etc/svc.d
      su -s /bin/sh svc -c 'svc agent -dev -http-port=9755 -server-port=9756 -serf-lan-port=9757 -serf-wan-port=9758 -dns-port=-1 >/dev/null 2>&1 & echo $! >/tmp/pid'
      tries=0
      until svc kv put -http-addr=127.0.0.1:9755 a b >/dev/null 2>&1; do tries=$((tries + 1)); [ $tries -lt 200 ]; done
      svc kv get -http-addr=127.0.0.1:9755 a
      kill -KILL $(cat /tmp/pid); rm /tmp/pid`)
      expect(served.stdout, served.stderr).toBe('root svc 750\nb\n')
      expect(inside('dpkg -P svc').status).toBe(0)
      expect(files()).toBe(before)
      expect(inside('getent passwd svc').status).toBe(2)
    },
  )
})
