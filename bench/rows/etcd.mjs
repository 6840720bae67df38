/**
 * etcd beside `svc`, where it is installed (Debian: `etcd-server`). Keys are written through its version 2 interface, which
 * is plain HTTP served by the process itself: the JSON face of version 3 passes each request through a second connection.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { freePorts, keepUntilEnd, scratch } from '../children.mjs'
import { Wire } from './wire.mjs'

const host = '127.0.0.1'

function isInstalled() {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'etcd'), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** `count` members with their data on disk and the default timing; undefined where etcd is not installed, which is said. */
export async function startEtcd(count) {
  if (!isInstalled()) {
    console.log('etcd is not installed: its row is left out')
    return undefined
  }
  const ports = await freePorts(2 * count)
  const members = Array.from({ length: count }, (_, at) => ({
    name: `e${at}`,
    client: ports[2 * at],
    peer: `http://${host}:${ports[2 * at + 1]}`,
  }))
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(',')
  const children = members.map(({ name, client, peer }) => {
    const url = `http://${host}:${client}`
    const flags = {
      name,
      'data-dir': join(scratch(), 'data'),
      'listen-client-urls': url,
      'advertise-client-urls': url,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': cluster,
      'enable-v2': 'true',
      'log-level': 'error',
    }
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    return keepUntilEnd(spawn('etcd', args, { stdio: ['ignore', 'ignore', 'ignore'] }))
  })
  const places = members.map(({ client }) => ({ host, port: client }))
  return { name: `etcd, ${count} members`, children, places, isLeader, put: etcdPut }
}

async function isLeader(at) {
  const wire = await Wire.open(at)
  const { status, body } = await wire.ask('GET', '/v2/stats/self')
  wire.close()
  return status === 200 && JSON.parse(body).state === 'StateLeader'
}

/** A value in the query: its form in the body would need a header of its own. */
const etcdPut = (connection, at, value) => ['PUT', `/v2/keys/bench/${connection}/${at % 100}?value=${value}`]
