import { features } from '../../src/agent/assembly/features.ts'
import { writeJson } from '../../src/base/json.ts'
import { openApiDocument, withDocument } from '../../src/http/openapi/document.ts'
import type { Document } from './document-check.ts'

/** The table that every agent has. */
export const routes = withDocument(
  features.flatMap((feature) => feature.routes ?? []),
  '1.4.0',
)

/** The document of that table, as an agent sends it. */
export function agentDocument(): Document {
  const steps = openApiDocument(routes, '1.4.0')
  for (;;) {
    const step = steps.next()
    if (step.done === true) return JSON.parse(writeJson(step.value)) as Document
  }
}
