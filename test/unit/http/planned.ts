import type { Handle, HttpMethod, Operations } from '../../../src/features/contract/route.ts'
import type { FaceContext } from '../../../src/http/route-call.ts'

/** Operations that all do the same, and may read whatever they want. */
export function planned(methods: readonly HttpMethod[], handle: Handle<string, FaceContext>): Operations<FaceContext> {
  const operation = { summary: 'planned', access: { open: 'a test' }, query: [], answers: [], handle }
  return Object.fromEntries(methods.map((method) => [method, operation]))
}
