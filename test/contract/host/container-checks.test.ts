import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type ContainerProbe, probeContainer } from '../../../src/agent/local/probes/container-probe.ts'
import { quietEnv } from './quiet-env.ts'

const closing: (() => void)[] = []

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'svc-run-'))
  closing.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}

type Answer = readonly [status: number, body: string | object] | 'silence'

/** A runtime of containers on a socket: answers by step, and what it was asked in order. */
async function runtime(answers: { create?: Answer; start?: Answer; inspect?: Answer }) {
  const asked: (readonly [what: string, body: unknown])[] = []
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString()
      asked.push([`${request.method} ${request.url}`, text === '' ? undefined : JSON.parse(text)])
      const step = request.url?.startsWith('/containers/')
        ? (answers.create ?? [201, { Id: 'e1' }])
        : request.url?.endsWith('/start')
          ? (answers.start ?? [200, 'all well\n'])
          : (answers.inspect ?? [200, { ID: 'e1', ExitCode: 0 }])
      if (step === 'silence') return
      response.statusCode = step[0]
      response.end(typeof step[1] === 'string' ? step[1] : JSON.stringify(step[1]))
    })
  })
  const path = join(folder(), 'runtime.sock')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  return { asked, at: `unix://${path}` }
}

const probe: ContainerProbe = {
  kind: 'container',
  container: 'web/1',
  argv: ['/bin/check', '-v'],
  intervalMs: 1_000,
  timeoutMs: 10_000,
}

describe('a check in a container', () => {
  it('makes the program known to the runtime, starts it, and asks for its exit code', async () => {
    const { asked, at } = await runtime({})
    expect(await probeContainer(quietEnv(), at, probe)).toEqual({ status: 'passing', output: 'all well\n' })
    const create = { AttachStdin: false, AttachStdout: true, AttachStderr: true, Tty: false, Cmd: ['/bin/check', '-v'] }
    expect(asked).toEqual([
      ['POST /containers/web%2F1/exec', create],
      ['POST /exec/e1/start', { Detach: false, Tty: true }],
      ['GET /exec/e1/json', undefined],
    ])
  })

  it.each([
    [1, 'warning'],
    [2, 'critical'],
    [137, 'critical'],
  ] as const)('that ends with %d is %s', async (ExitCode, status) => {
    const { at } = await runtime({ inspect: [200, { ExitCode }] })
    expect(await probeContainer(quietEnv(), at, probe)).toEqual({ status, output: 'all well\n' })
  })

  it('keeps the last of a long output', async () => {
    const { at } = await runtime({ start: [200, `${'x'.repeat(100_000)}end`] })
    const { output } = await probeContainer(quietEnv(), at, probe)
    expect(output).toHaveLength(4_096)
    expect(output.endsWith('xxend')).toBe(true)
  })

  it.each([
    ['the container is not known', { create: [404, 'no'] }, 'create exec failed for unknown container web/1'],
    ['it is paused', { create: [409, 'no'] }, 'create exec failed since container web/1 is paused or stopped'],
    ['it stopped meanwhile', { start: [409, 'no'] }, 'start exec failed since container web/1 is paused or stopped'],
    [
      'the runtime fails',
      { create: [500, 'broken\n'] },
      'create exec failed for container web/1 with status 500: broken',
    ],
    [
      'the exec is gone',
      { inspect: [404, 'no such exec'] },
      'inspect exec failed for container web/1 with status 404: no such exec',
    ],
  ] as const)('is critical where %s', async (_why, answers, output) => {
    const { at } = await runtime(answers)
    expect(await probeContainer(quietEnv(), at, probe)).toEqual({ status: 'critical', output })
  })

  it.each([
    [{ create: [201, 'not JSON'] }, /^create exec: the answer of unix:\/\/.* has no exec ID$/],
    [{ create: [201, '[]'] }, /has no exec ID$/],
    [{ inspect: [200, { ExitCode: null }] }, /has no exit code$/],
  ] as const)('is critical where the runtime answers otherwise: %j', async (answers, output) => {
    const { at } = await runtime(answers)
    const found = await probeContainer(quietEnv(), at, probe)
    expect(found.status).toBe('critical')
    expect(found.output).toMatch(output)
  })

  it('is critical when its time is over', async () => {
    const { at } = await runtime({ start: 'silence' })
    const found = await probeContainer(quietEnv(), at, { ...probe, timeoutMs: 60 })
    expect(found).toEqual({ status: 'critical', output: 'Timed out (60ms) running check' })
  })

  it('is critical and says where it looked when there is no runtime', async () => {
    const at = `unix://${join(folder(), 'none.sock')}`
    const { status, output } = await probeContainer(quietEnv(), at, probe)
    expect(status).toBe('critical')
    expect(output).toContain(`cannot reach a container runtime at ${at}: `)
    const far = await probeContainer(quietEnv(), 'tcp://10.0.0.1:2375', probe)
    expect(far.output).toContain('only Unix sockets (unix://<path>) are supported')
  })
})
