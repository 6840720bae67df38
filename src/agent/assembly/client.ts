import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import type { ServedRequest } from '../../rpc/served-requests.ts'
import { openClientAccess } from '../access/access-control.ts'
import type { Closing } from '../boot/lifecycle.ts'
import { Calls } from '../requests/asking/calls.ts'
import { ClientTarget, RequestBudget } from '../requests/asking/client-target.ts'
import { ServerRouter } from '../requests/asking/server-router.ts'
import type { Ground, Part } from './ground.ts'

/** Opens a client agent, which keeps no replicated state and asks the servers that the pool knows. */
export function openClient(ground: Ground, closing: Closing): Part {
  const { env, config, nodeId, origin, rpc, pool } = ground
  const router = new ServerRouter(env, pool, config.datacenter)
  const budget = new RequestBudget(env, config.limits)
  const { datacenter, rpcHoldTimeoutMs: holdMs } = config
  const target = new ClientTarget({ env, rpc, router, budget, datacenter, holdMs })
  // The servers of this datacenter forward requests for other datacenters.
  const elsewhere = { targetOf: () => target, onHope: () => ({ close: () => {} }) }
  const calls = Calls.of({
    env,
    target,
    elsewhere,
    datacenter,
    holdMs,
    origin,
    standInToken: () => ground.tokens.default,
  })
  const access = openClientAccess(ground, calls, (use) => target.onHope(use), closing)
  closing.push(() => {
    router.stop()
    calls.stop()
  })
  return {
    calls,
    raft: undefined,
    access,
    serverCount: () => router.count,
    reasonsNotReady: () => router.troubles,
    state: undefined,
    start: async () => {
      rpc.start(
        { nodeId, nodeName: config.nodeName, datacenter: config.datacenter, address: '' },
        {
          onRequest: refuse,
          onNotice: () => env.metrics.count('rpc.notice.malformed'),
          onPeer: () => {},
          serverAt: ground.serverAt,
        },
      )
    },
    reload: ({ limits }) => budget.setLimits(limits),
    beforeLeave: async () => {},
    afterLeave: async () => ok(undefined),
  }
}

/** Servers send no requests to clients yet. */
async function refuse(request: ServedRequest): Promise<Result<unknown, Failure>> {
  return err({ kind: 'unknown-method', method: request.method })
}
