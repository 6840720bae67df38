import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../tools/own-ports.ts'
import { type Finished, freePorts, makeWorkplace, runSvc, type Workplace, writeConfig } from './real-agent.ts'

let workplace: Workplace
let busy: Server | undefined
beforeEach(() => {
  workplace = makeWorkplace()
})
afterEach(async () => {
  const server = busy
  busy = undefined
  if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  workplace.remove()
})

function dataDir(): string {
  return join(workplace.path, 'data')
}

/** Starts an agent that must refuse: one line on standard error, exit code 1, nothing written. */
async function refused(config: object | string, more: readonly string[] = []): Promise<string> {
  const file = join(workplace.path, 'a.json')
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
  const finished = await runSvc(['agent', `-config-file=${file}`, ...more])
  expectRefusal(finished)
  expect(existsSync(dataDir()) ? readdirSync(dataDir()) : []).toEqual([])
  return finished.error.trimEnd()
}

function expectRefusal(finished: Finished): void {
  expect(finished.code).toBe(1)
  expect(finished.error.trimEnd().split('\n')).toHaveLength(1)
  expect(finished.error).not.toMatch(/\bat .*:\d+:\d+\)?/)
}

async function server(more: object = {}): Promise<object> {
  return {
    server: true,
    bootstrap: true,
    bind_addr: '127.0.0.1',
    data_dir: dataDir(),
    ports: await freePorts({ dns: true }),
    ...more,
  }
}

describe('an agent refuses to start', () => {
  it('with an unknown configuration key, naming its place and what was meant', async () => {
    const line = await refused('{\n  "server": true,\n  "data_dri": "/x",\n  "bind_addr": "127.0.0.1"\n}')
    expect(line).toBe(
      `==> ${join(workplace.path, 'a.json')}:3:3: invalid config key data_dri: did you mean 'data_dir'?`,
    )
  })

  it('with a value of the wrong type', async () => {
    const config = { ...(await server()), server: 'yes' }
    expect(await refused(config)).toContain("'server' expected type 'boolean', got 'string'")
  })

  it('with a file that is not JSON', async () => {
    expect(await refused('{"server": true,}')).toContain('a.json:1:17: not JSON')
  })

  it('with a port that is in use, whichever of its ports it is', async () => {
    const port = await freePort()
    const listener = createServer()
    busy = listener
    await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve))
    for (const name of ['http', 'server', 'serf_lan', 'dns']) {
      const line = await refused(await server({ ports: { ...(await freePorts({ dns: true })), [name]: port } }))
      expect(line).toContain(`127.0.0.1:${port} is already in use`)
      expect(line).toContain(`choose another ports.${name}`)
    }
  })

  it('when no address answers that it must join', async () => {
    const file = writeConfig(workplace.path, 'a.json', await server({ start_join: [`127.0.0.1:${await freePort()}`] }))
    const finished = await runSvc(['agent', `-config-file=${file}`])
    expectRefusal(finished)
    const one =
      /^==> Error starting agent: Error joining cluster: Failed to join 127\.0\.0\.1:\d+: [^\\]*use -retry-join, which keeps trying$/
    expect(finished.error.trimEnd()).toMatch(one)
    const flags = [`-join=127.0.0.1:${await freePort()}`, `-join=127.0.0.1:${await freePort()}`]
    const several = await runSvc(['agent', `-config-file=${file}`, ...flags])
    expect([several.code, several.error.replace(/127\.0\.0\.1:\d+: .*/g, '…').split('\n')]).toEqual([
      1,
      [
        '==> Error starting agent: Error joining cluster: 3 error(s) occurred:',
        ...Array.from({ length: 3 }, () => '    * Failed to join …'),
        '    start one of these agents first, or use -retry-join, which keeps trying',
        '',
      ],
    ])
  })

  it('with a data directory that is a file', async () => {
    writeFileSync(dataDir(), 'x')
    const file = writeConfig(workplace.path, 'a.json', await server())
    const finished = await runSvc(['agent', `-config-file=${file}`])
    expectRefusal(finished)
    expect(finished.error).toContain(`data_dir "${dataDir()}" is not a directory`)
  })

  it('[AGT-033] with a data directory of the old format, naming the way out', async () => {
    mkdirSync(join(dataDir(), 'mdb'), { recursive: true })
    const file = writeConfig(workplace.path, 'a.json', await server())
    const finished = await runSvc(['agent', `-config-file=${file}`])
    expectRefusal(finished)
    expect(finished.error).toContain(`CRITICAL: Deprecated data folder found at "${join(dataDir(), 'mdb')}"`)
    expect(finished.error).toContain('migrate it with a 0.5.1 release first')
    expect(readdirSync(dataDir())).toEqual(['mdb'])
  })

  it('without a data directory', async () => {
    expect(await refused({ server: true, bind_addr: '127.0.0.1' })).toContain('data_dir cannot be empty')
  })

  it('with an operand, an unknown flag, or a flag without its value', async () => {
    const operand = await runSvc(['agent', '-dev', 'foo'])
    expect(operand).toMatchObject({ code: 1, error: '==> config: Unknown extra arguments: [foo]\n' })
    const unknown = await runSvc(['agent', '-foo'])
    expect(unknown.code).toBe(1)
    expect(unknown.error.split('\n')[0]).toBe('flag provided but not defined: -foo')
    const bare = await runSvc(['agent', '-node'])
    expect(bare.error.split('\n')[0]).toBe('flag needs an argument: -node')
  })

  it('[CFG-002 REG-006] with a file whose extension says nothing of its format', async () => {
    const file = join(workplace.path, 'a.conf')
    writeFileSync(file, '{}')
    const finished = await runSvc(['agent', `-config-file=${file}`])
    expectRefusal(finished)
    expect(finished.error).toContain('ends in neither .json nor .hcl')
  })
})

describe('svc', () => {
  it('shows its commands on standard error and fails when none is named', async () => {
    const { code, out, error } = await runSvc([])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(error).toMatch(
      /^Usage: svc \[--version\] \[--help\] <command> \[<args>\]\n\nAvailable commands are:\n {4}acl .*\n {4}agent /,
    )
  })

  it('shows help on standard output and succeeds when asked for it', async () => {
    for (const args of [['-h'], ['kv', '-h'], ['kv', 'get', '--help'], ['operator', 'raft', '-h']]) {
      const { code, out, error } = await runSvc(args)
      expect({ code, error }, args.join(' ')).toEqual({ code: 0, error: '' })
      expect(out, args.join(' ')).toContain(`svc ${args.slice(0, -1).join(' ')}`.trim())
    }
  })

  it('[UPG-028] has no protocol of the command line: its flag and its keys are refused with what to use', async () => {
    expect((await runSvc(['members', '-rpc-addr=127.0.0.1:8400'])).error).toContain(
      'flag provided but not defined: -rpc-addr (removed in 0.8.0, commands talk HTTP: ',
    )
    for (const key of ['addresses', 'ports'])
      expect(await refused(await server({ [key]: { rpc: key === 'ports' ? 8400 : '127.0.0.1' } }))).toContain(
        `invalid config key ${key}.rpc: removed in 1.0, commands talk HTTP: use ports.http`,
      )
  })

  it('[CLI-007] [UPG-022] validates the files that it is given, and has no flags for them: nothing is validated then', async () => {
    const file = writeConfig(workplace.path, 'good.json', { data_dir: '/x', bind_addr: '10.0.0.1' })
    expect(await runSvc(['validate', file])).toEqual({ code: 0, out: 'Configuration is valid!\n', error: '' })
    for (const [flag, value] of [
      ['config-file', file],
      ['config-dir', workplace.path],
    ] as const) {
      for (const argv of [[`-${flag}=${value}`], [`-${flag}`, value]]) {
        const { code, out, error } = await runSvc(['validate', ...argv])
        expect([code, out, error.split('\n')[0]]).toEqual([1, '', `flag provided but not defined: -${flag}`])
        expect(error).toContain('Usage: svc validate [options] FILE_OR_DIRECTORY...\n')
      }
    }
  })

  it.skipIf(process.platform === 'win32')('reads a file that is a pipe, such as its standard input', async () => {
    const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url))
    const given = '{"Provider": "svc", "Config": {}, "Surplus": 1}'
    const words = 'connect ca set-config -http-addr=127.0.0.1:1 -config-file /dev/stdin'
    const line = `printf '%s' '${given}' | "${process.execPath}" "${svc}" ${words}`
    const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' })
    expect(stderr).toMatch(/^Error setting CA configuration: .*127\.0\.0\.1:1/)
    expect(status).toBe(1)
    // The guard of a deletion asks the agent first, with the same token.
    const deletion = `printf secret | "${process.execPath}" "${svc}" kv delete -recurse -token-file=/dev/stdin`
    const deleted = spawnSync('sh', ['-c', `${deletion} -http-addr=127.0.0.1:1 a`], { encoding: 'utf8' })
    expect(deleted.stderr).toMatch(/^Error! Did not delete key a: .*127\.0\.0\.1:1/)
  })

  it('[CLI-008] [UPG-022] names a command that it does not have, and what replaced one of old', async () => {
    expect((await runSvc(['configtest'])).error.split('\n')[0]).toBe(
      "unknown command: configtest: it was removed in 1.0, use 'svc validate'",
    )
    expect((await runSvc(['kv', 'nope'])).error.split('\n')[0]).toBe('unknown command: kv nope')
  })
})
