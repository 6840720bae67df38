import { connect } from 'node:net'
import { promiseHooks } from 'node:v8'
import { expect, it } from 'vitest'
import type { HttpResponse } from '../../../src/env/http.ts'
import { quietEnv } from './quiet-env.ts'

/** Promises that the process makes while `requests` requests without a body are answered over one connection. */
async function promisesOf(port: number, requests: number): Promise<number> {
  const socket = connect({ host: '127.0.0.1', port })
  let made = 0
  let left = requests
  return new Promise((resolve, reject) => {
    const stop = promiseHooks.onInit(() => {
      made++
    })
    const ask = (): void => void socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('data', () => {
      if (--left > 0) return ask()
      stop()
      socket.destroy()
      resolve(made)
    })
  })
}

it('a request without a body costs the listener few promises besides those of its handler', async () => {
  const answer: HttpResponse = { status: 200, headers: [['Content-Type', 'text/plain']], body: 'x' }
  const ready = Promise.resolve(answer)
  const listener = await quietEnv().http.serve({ host: '127.0.0.1', port: 0 }, () => ready)
  if (!listener.ok) throw new Error(JSON.stringify(listener.error))
  try {
    // The one that follows the handler's promise.
    expect((await promisesOf(listener.value.local.port, 200)) / 200).toBeLessThan(2)
  } finally {
    listener.value.close()
  }
})
