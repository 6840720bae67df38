/**
 * Connections through two proxies of the mesh, beside the same way through the least that Node can do: two processes that
 * splice sockets over mutual TLS, with one TLS context each, and ask no agent. After a build:
 *
 *     node bench/mesh-proxy.mjs [--rounds=3] [--seconds=5] [--visitors=16] [--servers=1] [--rotate] [--profile=DIR]
 *
 * A visitor connects, says five bytes, hears them back, and comes again at once. Both ways take turns, with the same visitors
 * and the same service. `--rotate`: each round of ours begins with a rotation, to EC and RSA by turns, which goes on meanwhile.
 * `--profile`: what the proxies did goes there, for Chromium's profiler.
 */
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { closeConnections, Servers } from './agents.mjs'
import { cpuMs, endAll, freePorts, pause, start, stop, svc } from './children.mjs'
import { numberOption, options, printLoad } from './figures.mjs'

const [rounds, seconds, visitors, serverCount] = [
  ['rounds', 3],
  ['seconds', 5],
  ['visitors', 16],
  ['servers', 1],
].map(([name, value]) => numberOption(name, value))
const rotates = options.has('rotate')
const profileDir = options.get('profile')
const nodeArgs = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
const splicer = fileURLToPath(new URL('bare-mesh-proxy.mjs', import.meta.url))

function visit(port) {
  return new Promise((resolve, reject) => {
    let heard = ''
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => socket.end('hello'))
    socket.setEncoding('utf8').on('data', (text) => {
      heard += text
    })
    socket.on('error', reject)
    socket.on('end', () => (heard === 'hello' ? resolve() : reject(new Error(`heard "${heard}"`))))
  })
}

async function untilReached(port) {
  for (const deadlineMs = performance.now() + 30_000; ; await pause(50)) {
    try {
      return await visit(port)
    } catch (cause) {
      if (performance.now() > deadlineMs) throw cause
    }
  }
}

const kinds = [
  { PrivateKeyType: 'ec', PrivateKeyBits: 384 },
  { PrivateKeyType: 'rsa', PrivateKeyBits: 2048 },
  { PrivateKeyType: 'ec', PrivateKeyBits: 256 },
]

/** A kind of keys comes round only every third time, so each is a new root. */
async function rotate(round) {
  const body = JSON.stringify({ Provider: 'svc', Config: { LeafCertTTL: '72h', ...kinds[round % kinds.length] } })
  const { status, text } = await servers.ask(0, 'PUT', '/v1/connect/ca/configuration', body)
  if (status !== 200 && !text.endsWith('goes on')) throw new Error(`the rotation was answered by ${status}: ${text}`)
}

/** Connections in a second, failures, and CPU of each process for one, in microseconds. */
async function measured(port, processes, ms) {
  const before = processes.map(cpuMs)
  const beganMs = performance.now()
  let [done, failed] = [0, 0]
  const one = async () => {
    while (performance.now() - beganMs < ms) {
      await visit(port).then(
        () => done++,
        () => failed++,
      )
    }
  }
  await Promise.all(Array.from({ length: visitors }, one))
  const passedMs = performance.now() - beganMs
  const used = processes.map((each, at) => Math.round(((cpuMs(each) - before[at]) * 1e3) / done))
  return { rate: (done / passedMs) * 1e3, failed, used }
}

const service = createServer({ allowHalfOpen: true }, (socket) => {
  socket.on('error', () => undefined)
  socket.pipe(socket)
})
const proxies = []
const servers = await Servers.create(serverCount, { connect: { enabled: true }, log_level: 'warn' })
try {
  const agents = Array.from({ length: serverCount }, (_, at) => servers.start(at))
  await servers.leader()
  while (JSON.parse(await servers.untilOk(0, '/v1/connect/ca/roots')).ActiveRootID === '') await pause(20)
  const [servicePort, publicPort, upstreamPort, barePublic, bareUpstream] = await freePorts(5)
  await new Promise((resolve) => service.listen(servicePort, '127.0.0.1', resolve))
  const sidecar = { Port: publicPort, Proxy: { LocalServicePort: servicePort } }
  const last = serverCount - 1
  const registered = await servers.ask(
    last,
    'PUT',
    '/v1/agent/service/register',
    JSON.stringify({ Name: 'db', Port: servicePort, Connect: { SidecarService: sidecar } }),
  )
  if (registered.status !== 200) throw new Error(registered.text)
  const proxy = (at, ...flags) =>
    start([...nodeArgs, svc, 'connect', 'proxy', `-http-addr=${servers.host(at)}:${servers.port}`, ...flags])
  const ours = [proxy(0, '-service=web', `-upstream=db:${upstreamPort}`), proxy(last, '-sidecar-for=db')]
  const leafOf = async (name) => JSON.parse(await servers.untilOk(0, `/v1/agent/connect/ca/leaf/${name}`))
  const roots = JSON.parse(await servers.untilOk(0, '/v1/connect/ca/roots')).Roots.map(({ RootCert }) => RootCert)
  const bareProxy = async (side, name, from, to) => {
    const { CertPEM: cert, PrivateKeyPEM: key } = await leafOf(name)
    return start([...nodeArgs, splicer, JSON.stringify({ side, from, to, cert, key, ca: roots })])
  }
  const bare = [
    await bareProxy('upstream', 'web', bareUpstream, barePublic),
    await bareProxy('public', 'db', barePublic, servicePort),
  ]
  const ways = [
    ['bare Node', bareUpstream, bare],
    ['svc', upstreamPort, ours],
  ]
  proxies.push(...ours, ...bare)
  for (const [, port] of ways) await untilReached(port)
  printLoad(`, Node ${process.version}, ${visitors} visitors, ${serverCount} servers`)
  console.log(
    '| round | way | connections/s | failed | CPU for one, µs: upstream | public | agents | visitors and service |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (let round = 0; round <= rounds; round++) {
    for (const [way, port, ofWay] of ways) {
      const rotation = rotates && way === 'svc' ? rotate(round) : undefined
      const { rate, failed, used } = await measured(port, [...ofWay, ...agents, process], seconds * 1e3)
      await rotation
      // The first round warms up.
      if (round === 0) continue
      const [upstream, public_, ...others] = used
      const own = others.pop()
      const ofAgents = others.reduce((sum, each) => sum + each, 0)
      console.log(
        `| ${round} | ${way} | ${rate.toFixed(0)} | ${failed} | ${upstream} | ${public_} | ${ofAgents} | ${own} |`,
      )
    }
  }
  printLoad(' at the end')
} finally {
  // A profile is written when its process ends by itself.
  if (profileDir !== undefined) await Promise.all(proxies.map((proxy) => stop(proxy, 'SIGINT')))
  service.close()
  closeConnections()
  endAll()
}
