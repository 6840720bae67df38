import { hostDisk } from '../../../dist/src/host/disk.js'

const lock = await hostDisk.lock(process.argv[2])
process.stdout.write(`${lock.ok ? 'locked' : lock.error.kind === 'locked' ? 'held' : lock.error.message}\n`)
setInterval(() => undefined, 1_000_000)
