/**
 * What it costs the main thread to let another thread answer: `node bench/thread-hop.mjs [count]`. The main thread keeps
 * its sockets, because Node cannot give them away, so it must pass each question on and take each answer. Prints the CPU
 * time of the main thread for one, of small and of long answers, alone and in batches.
 */

import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

const count = Number(process.argv[2] ?? 200_000)
/** How many questions are under way: connections that wait for their answer. */
const open = 64
const sizes = [150, 20_000]
const batches = [1, 16]

if (isMainThread) await measure()
else
  parentPort.on('message', ({ ids, size }) => parentPort.postMessage(ids.map((id) => ({ id, body: 'x'.repeat(size) }))))

async function measure() {
  const worker = new Worker(fileURLToPath(import.meta.url))
  console.log(
    '| answer, bytes | in one message | CPU of the main thread, µs each | answers a second |\n|---|---|---|---|',
  )
  for (const size of sizes) {
    for (const batch of batches) {
      await hops(worker, size, batch, count / 10)
      const { cpuUs, perSecond } = await hops(worker, size, batch, count)
      console.log(`| ${size} | ${batch} | ${cpuUs.toFixed(1)} | ${Math.round(perSecond)} |`)
    }
  }
  await worker.terminate()
}

/** Asks until `total` answers have come; `batch` of them share a message. */
function hops(worker, size, batch, total) {
  return new Promise((resolve) => {
    let sent = 0
    let come = 0
    const ask = () => {
      const ids = Array.from({ length: batch }, () => sent++)
      worker.postMessage({ ids, size })
    }
    const [beganMs, before] = [performance.now(), process.threadCpuUsage?.() ?? performance.eventLoopUtilization()]
    worker.removeAllListeners('message')
    worker.on('message', (answers) => {
      come += answers.length
      if (sent < total) ask()
      else if (come >= sent) {
        const tookMs = performance.now() - beganMs
        const used = busyUs(before)
        resolve({ cpuUs: used / come, perSecond: (come * 1000) / tookMs })
      }
    })
    for (let at = 0; at < open / batch; at++) ask()
  })
}

/** What the main thread has done since: its CPU time, or where Node cannot say, the time in which its loop was busy. */
function busyUs(before) {
  if (process.threadCpuUsage !== undefined) {
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  return performance.eventLoopUtilization(before).active * 1000
}
