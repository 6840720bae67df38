import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hostDisk } from '../../../src/host/disk.ts'
import { parseHolder, writeHolder } from '../../../src/host/lock-holder.ts'

let folder: string
let path: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lock-'))
  path = join(folder, 'lock')
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A process that takes the lock, says `locked` or why not, and then waits to be killed. */
async function lockInChild(): Promise<{ readonly child: ChildProcess; readonly said: string }> {
  const program = fileURLToPath(new URL('./lock-in-child.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, said: said.toString().trim() }
}

describe('a lock on the disk', () => {
  it('is held by one at a time, also within one process, and is free again after close', async () => {
    const first = await hostDisk.lock(path)
    if (!first.ok) throw new Error(first.error.message)
    expect(await hostDisk.lock(path)).toMatchObject({
      ok: false,
      error: { kind: 'locked', path, message: `held by process ${process.pid}` },
    })
    await first.value.close()
    await first.value.close()
    expect(readdirSync(folder)).toEqual([])
    expect(await hostDisk.lock(path)).toMatchObject({ ok: true })
  })

  it('is refused while another process lives, and free once that process was killed', async () => {
    const { child, said } = await lockInChild()
    expect(said).toBe('locked')
    expect(await hostDisk.lock(path)).toMatchObject({
      error: { kind: 'locked', message: `held by process ${child.pid}` },
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    const lock = await hostDisk.lock(path)
    if (!lock.ok) throw new Error(lock.error.message)
    expect(parseHolder(readFileSync(path, 'utf8'))?.pid).toBe(process.pid)
    expect((await lockInChild()).said).toBe('held')
    await lock.value.close()
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ['another boot of the machine', { boot: 'another' }],
    ['another start of this process ID', { started: '1' }],
    ['a process ID that nobody has', { pid: 2 ** 22 + 1 }],
  ])('is free when it names %s', async (_what, change) => {
    const lock = await hostDisk.lock(path)
    if (!lock.ok) throw new Error(lock.error.message)
    const holder = parseHolder(readFileSync(path, 'utf8'))
    if (holder === undefined) throw new Error('the lock file cannot be read')
    writeFileSync(path, writeHolder({ ...holder, ...change }))
    expect(await hostDisk.lock(path)).toMatchObject({ ok: true })
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it.each(['', '{"pid":12', 'something else'])('is free when a power cut left %j of it', async (content) => {
    writeFileSync(path, content)
    expect(await hostDisk.lock(path)).toMatchObject({ ok: true })
  })

  it('goes to exactly one of many processes that find its holder dead', async () => {
    for (let round = 0; round < 20; round++) {
      writeFileSync(path, writeHolder({ pid: 2 ** 22 + 1, started: '1', boot: 'another', nonce: String(round) }))
      const taken = await Promise.all(Array.from({ length: 8 }, () => hostDisk.lock(path)))
      const holders = taken.filter((each) => each.ok)
      expect(holders).toHaveLength(1)
      for (const each of holders) if (each.ok) await each.value.close()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('is free even when a taker died in the middle of taking it over', async () => {
    const dead = (nonce: string) => writeHolder({ pid: 2 ** 22 + 1, started: '1', boot: 'another', nonce })
    writeFileSync(path, dead('holder'))
    const first = await hostDisk.lock(path)
    if (!first.ok) throw new Error(first.error.message)
    await first.value.close()
    writeFileSync(path, dead('holder'))
    const { createHash } = await import('node:crypto')
    const digest = createHash('sha256').update(dead('holder')).digest('hex').slice(0, 16)
    writeFileSync(`${path}.${digest}`, dead('taker'))
    expect(await hostDisk.lock(path)).toMatchObject({ ok: true })
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('says when its directory does not exist', async () => {
    expect(await hostDisk.lock(join(folder, 'no', 'lock'))).toMatchObject({ error: { kind: 'not-found' } })
  })
})
