import { err, ok, type Result } from '../../base/result.ts'
import type { EndpointDefinition } from '../../features/contract/endpoint.ts'
import type { Failure } from '../../model/failure.ts'
import type { ServerId } from '../../raft/core/types.ts'
import type { Raft } from '../../raft/raft.ts'
import type { Hello } from '../../rpc/frame.ts'
import type { PeerWatch } from '../../rpc/lost-peers.ts'
import type { ServedRequest } from '../../rpc/served-requests.ts'
import type { RaftLink } from '../replication/raft-link.ts'
import type { Calls } from '../requests/asking/calls.ts'
import { readRequest } from '../requests/request.ts'
import type { Dispatch } from '../requests/serving/dispatch.ts'
import { Served } from '../requests/serving/seen-results.ts'
import { type Introductions, introduceMethod, ownAddress } from '../servers/introductions.ts'
import type { Ground } from './ground.ts'

/** The parts of a server that answer what other agents send. */
interface Answering {
  readonly raft: Raft
  readonly link: RaftLink
  readonly introductions: Introductions
  readonly dispatch: Dispatch
  readonly calls: Calls
}

/** Starts to serve other agents. */
export function listen({ config, nodeId, rpc, serverAt }: Ground, parts: Answering): void {
  const { raft, link, introductions } = parts
  rpc.start(
    { nodeId, nodeName: config.nodeName, datacenter: config.datacenter, address: ownAddress(config) },
    {
      onRequest: (request) => serve(request, parts),
      isWrite: (method) => parts.dispatch.endpoint(method)?.kind === 'write',
      onNotice: (peer, topic, bytes) => link.receive(raft, peer, topic, bytes),
      onPeer: (peer) => introductions.met(peer),
      serverAt,
      watch: leaderWatch(raft),
    },
  )
}

/** Reports that the leader's process has ended, so that followers elect another before their election timeout. */
function leaderWatch(raft: Raft): PeerWatch {
  return {
    isWatched: (peer) => leaderAt(raft, peer) !== undefined,
    onGone: (peer) => raft.leaderUnreachable(leaderAt(raft, peer) ?? peer.nodeId),
  }
}

/** The leader's name, if this peer is the leader. */
function leaderAt(raft: Raft, { nodeId, address }: Hello): ServerId | undefined {
  const id = raft.status().leader?.id
  return id === nodeId || id === address ? id : undefined
}

async function serve(
  request: ServedRequest,
  { dispatch, calls, introductions }: Answering,
): Promise<Result<unknown, Failure>> {
  if (request.method === introduceMethod) {
    return request.peer.mayActAsServer ? introductions.serve(request.body, request.peer) : err(notAServer(request.peer))
  }
  const asked = readRequest(request.body)
  if (asked === undefined) return err({ kind: 'bad-request', message: `${request.method}: malformed request` })
  const { args, read, identity, forward, datacenter, token } = asked
  const endpoint = dispatch.endpoint(request.method)
  if (endpoint === undefined) return err({ kind: 'unknown-method', method: request.method })
  return travelling(
    endpoint,
    forward === true
      ? await calls.forward(endpoint, { args, read, identity, datacenter, token }, request)
      : await dispatch.serve(request.method, { args, read, identity, token }, request),
  )
}

/** The operator reads this in the log of the peer. */
function notAServer({ nodeName }: Hello): Failure {
  const remedy = 'give this agent a certificate made with tls cert create -server, or run it as a client'
  return { kind: 'refused', message: `the certificate of ${nodeName} does not make it a server: ${remedy}` }
}

/** The part of an answer that is sent to other agents: plain data. */
function travelling(endpoint: EndpointDefinition, result: Result<unknown, Failure>): Result<unknown, Failure> {
  if (!result.ok || !(result.value instanceof Served)) return result
  const { value, meta } = result.value
  const packed = endpoint.kind === 'query' ? endpoint.packed?.(value) : undefined
  return ok({ value: packed === undefined ? value : packed, meta })
}
