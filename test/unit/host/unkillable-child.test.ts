import { ChildProcess } from 'node:child_process'
import { expect, it, onTestFinished, vi } from 'vitest'
import { deferred } from '../../../src/host/async.ts'
import { OpenThings } from '../../../src/host/open-things.ts'
import { HostProcesses } from '../../../src/host/processes.ts'

it('a program that may not be signalled is reported as that, however often it is tried', async () => {
  const tried: string[] = []
  const notAllowed = () => Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  const group = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw notAllowed()
  })
  const alone = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess, signal) {
    tried.push(String(signal))
    // As Node does where the system refuses.
    this.emit('error', notAllowed())
    return false
  })
  onTestFinished(() => {
    group.mockRestore()
    alone.mockRestore()
  })
  const until = deferred<void>()
  const limits = { timeoutMs: Number.POSITIVE_INFINITY, outputBytesMax: 100, until: until.promise, graceMs: 1 }
  // It ends by itself when its input does.
  const running = new HostProcesses(new OpenThings()).run(['cat'], { ...limits, tether: true })
  until.resolve()
  expect(await running).toMatchObject({ ok: false, error: { kind: 'permission', program: 'cat' } })
  await vi.waitUntil(() => tried.length === 2, { timeout: 20_000 })
  expect(tried).toEqual(['SIGTERM', 'SIGKILL'])
})
