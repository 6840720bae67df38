import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CliWorld } from './cli-world.ts'

let world: CliWorld

beforeEach(async () => {
  world = await CliWorld.begun()
})

describe('watch', () => {
  it('without a program prints what there is, indented', async () => {
    await world.run(['kv', 'put', 'a', '1'])
    const { code, out } = await world.run(['watch', '-type=key', '-key=a'])
    expect([code, JSON.parse(out)]).toMatchObject([0, { Key: 'a', Value: 'MQ==' }])
    expect(out).toMatch(/^\{\n {4}"/)
    expect((await world.run(['watch', '-type=keyprefix', '-prefix=none'])).out).toBe('null\n')
  })

  it('runs a program with the JSON on its input and the index beside it, and ends when it fails', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-watch-'))
    const file = join(directory, 'out')
    try {
      await world.run(['kv', 'put', 'a', '1'])
      const ran = await world.run([
        'watch',
        '-type=key',
        '-key=a',
        `cat > ${file}; echo $SVC_INDEX $CONSUL_INDEX >> ${file}; exit 3`,
      ])
      expect(ran).toMatchObject({ code: 1, error: 'Error executing handler: exit status 3\n' })
      const [json = '', index] = (await readFile(file, 'utf8')).split('\n')
      expect(JSON.parse(json)).toMatchObject({ Key: 'a' })
      expect(index).toMatch(/^[1-9]\d*$/)
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('lets a program that runs end by itself when it is told to end', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-watch-'))
    const [ready, file] = [join(directory, 'ready'), join(directory, 'out')]
    try {
      const script = `trap 'echo ended > ${file}; exit' TERM; : > ${ready}; while :; do sleep 0.05; done`
      const ran = world.run(['watch', '-type=key', '-key=a', script])
      await vi.waitUntil(() => existsSync(ready), { timeout: 20_000 })
      world.terminal.signal('SIGTERM')
      expect((await ran).code).toBe(0)
      expect(await readFile(file, 'utf8')).toBe('ended\n')
    } finally {
      await rm(directory, { recursive: true })
    }
  })

  it('names a program that cannot be run', async () => {
    const ran = await world.run(['watch', '-type=key', '-key=a', '-shell=false', '/nonexist'])
    expect(ran).toMatchObject({ code: 1 })
    expect(ran.error).toMatch(/^Error executing handler: cannot run \/nonexist \(.*\), name a program by its path\n$/)
  })

  it.each([
    [[], 'Watch type must be specified'],
    [['-type=foo'], 'Unsupported watch type: foo'],
    [['-type=connect_leaf', '-service=web'], 'Type connect_leaf is not supported in the CLI tool'],
    [['-type=keyprefix'], 'Must specify a single prefix to watch'],
  ])('with %j is misused', async (flags, why) => {
    const ran = await world.run(['watch', ...flags])
    expect(ran.code).toBe(1)
    expect(ran.error).toContain(why)
  })
})
