/**
 * How the speed of the simulator falls as agents are added: `node bench/sim-growth.mjs [seconds] [--svg FILE]`, after a build.
 * Runs bench/sim-speed.mjs with the workload of clients for each number of agents, two rounds in a process of its own, and
 * prints the second round's figures as a table; the work of the clients of keys stays as it is, and each agent adds its
 * gossip, its registrations and its heartbeats. With `--svg FILE` it draws the table, too.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const {
  values: { svg },
  positionals: [seconds = '60'],
} = parseArgs({ options: { svg: { type: 'string' } }, allowPositionals: true })
const bench = fileURLToPath(new URL('sim-speed.mjs', import.meta.url))

function measured(agents) {
  const size = agents === 5 ? ['five-servers'] : ['five-servers-twenty-clients', `agents=${agents}`]
  const { status, stdout, stderr } = spawnSync(process.execPath, [bench, ...size, seconds, 'rounds=2'], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${agents} agents: ${stderr}`)
  const line = stdout.split('\n').find((each) => each.startsWith('seed 2:')) ?? ''
  const [, virtual, cpu, each] = /: (\d+) virtual s in .*\(([\d.]+) s of CPU\).* (\d+) events each/.exec(line) ?? []
  return { agents, speed: Number((Number(virtual) / Number(cpu)).toFixed(1)), each: Number(each) }
}

const sizes = [5, 25, 50, 100, 200].map(measured)
console.log('| agents | simulated s for each s of CPU | events of a simulated s | us of CPU for each event |')
console.log('|---|---|---|---|')
for (const { agents, speed, each } of sizes) {
  console.log(`| ${agents} | ${speed} | ${each} | ${(1e6 / (speed * each)).toFixed(0)} |`)
}
if (svg !== undefined) writeFileSync(svg, pictureOf(sizes))

/** Both axes are logarithmic: a straight line that falls by as much as it goes right costs the same for each agent. */
function pictureOf(points) {
  const [width, height, edge] = [480, 320, 50]
  const scale = (value, from, to, size) => (Math.log(value / from) / Math.log(to / from)) * size
  const [least, most] = [1, 1000]
  const x = (agents) => edge + scale(agents, 5, 200, width - 2 * edge)
  const y = (speed) => height - edge - scale(Math.max(speed, least), least, most, height - 2 * edge)
  const line = points.map(({ agents, speed }) => `${x(agents).toFixed(0)},${y(speed).toFixed(0)}`).join(' ')
  const texts = points.map(
    ({ agents, speed }) =>
      `<text x="${x(agents).toFixed(0)}" y="${(y(speed) - 8).toFixed(0)}">${speed}</text>` +
      `<text x="${x(agents).toFixed(0)}" y="${height - edge + 20}">${agents}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" text-anchor="middle">
<rect width="${width}" height="${height}" fill="white"/>
<path d="M${edge} ${edge}V${height - edge}H${width - edge}" fill="none" stroke="black"/>
<polyline points="${line}" fill="none" stroke="#2563eb" stroke-width="2"/>
${texts.join('\n')}
<text x="${width / 2}" y="${height - 8}">agents</text>
<text x="${width / 2}" y="24">simulated seconds for each second of CPU</text>
</svg>
`
}
