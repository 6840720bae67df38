import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web server as people have them, for checks to look at. */
export interface WebServer {
  readonly port: number
  /** Requests so far. */
  readonly asked: number
  stop(): Promise<void>
}

export async function startWebServer(host = '127.0.0.1'): Promise<WebServer> {
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    response.end('hello')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    get asked() {
      return asked
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
