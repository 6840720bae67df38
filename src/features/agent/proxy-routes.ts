import { z } from 'zod'
import { textOfByteString } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { Failure } from '../../model/failure.ts'
import { allowedOrAbsent } from '../contract/asking.ts'
import type { ManagedProxy } from '../contract/local-services.ts'
import { nameKey } from '../contract/names.ts'
import { declared, type Route, type RouteResponse } from '../contract/route.ts'
import type { WithLocal, WithRights } from '../contract/route-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { jsonAnswer, textAnswer } from '../http/declared.ts'
import { proxyJson, proxyShape } from '../mesh/mesh-json.ts'
import { type Hashed, type HashRequest, hashParameters, whenAnother } from './hash-blocking.ts'

/** The part of the route context that these routes use. */
type ProxyContext = WithEnv & WithRights & WithLocal

const managedShape = z
  .strictObject({
    ProxyServiceID: z.string(),
    TargetServiceID: z.string(),
    TargetServiceName: z.string(),
    ContentHash: z.string(),
    ExecMode: z.string(),
    Command: z.array(z.string()).readonly().nullable(),
    Config: z.record(
      z.string(),
      z.custom<Json>(() => true),
    ),
    Upstreams: proxyShape.shape.Upstreams.unwrap(),
  })
  .meta({ id: 'ManagedProxy' })

/**
 * Proxies that an agent runs itself, a legacy feature. Reference: mesh.md#managed-proxies,
 * definitions.md#managed-proxies.
 */
export const proxyRoutes: readonly Route<ProxyContext>[] = [
  {
    path: '/v1/agent/connect/proxy/',
    since: 'mesh',
    rest: { name: 'proxy', about: 'ID of a proxy that the agent runs.' },
    operations: {
      GET: declared({
        summary: 'The configuration of a proxy that this agent runs',
        access: { asks: 'service:write of the service behind it' },
        query: hashParameters,
        answers: [
          jsonAnswer('The whole configuration, with its hash.', managedShape, ['contentHash']),
          textAnswer(404, 'This agent runs no such proxy.'),
        ],
        handle: readProxy,
      }),
    },
  },
]

async function readProxy(context: ProxyContext, request: HashRequest): Promise<RouteResponse> {
  const id = textOfByteString(request.rest)
  const find = () => context.local.managedProxies().find(({ proxy }) => nameKey(proxy.id) === nameKey(id))
  const notThere: Failure = { kind: 'not-found', message: `unknown proxy service ID: ${id}` }
  return whenAnother(context, request, async (): Promise<Result<Hashed, Failure>> => {
    for (;;) {
      const name = find()?.target?.service
      if (name === undefined) return err(notThere)
      const allowed = await allowedOrAbsent(context, request, { resource: 'service', name, right: 'write' }, notThere)
      if (!allowed.ok) return allowed
      // Read after the last wait: a value read before it could change unnoticed.
      const found = find()
      if (found?.target?.service !== name) continue
      const shown = (contentHash: string) => managedJson(found, contentHash)
      return ok({ hashed: shown(''), shown })
    }
  })
}

function managedJson({ proxy, target, managed }: ManagedProxy, ContentHash: string): z.infer<typeof managedShape> {
  const { Config = {}, Upstreams = [] } = proxyJson(proxy.mesh, 'agent')
  return {
    ProxyServiceID: proxy.id,
    TargetServiceID: target?.id ?? '',
    TargetServiceName: target?.service ?? '',
    ContentHash,
    ExecMode: managed.execMode,
    Command: managed.command.length === 0 ? null : managed.command,
    Config,
    Upstreams,
  }
}
