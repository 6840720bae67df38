import { pump } from '../../sim/platform/drain.ts'
import { createWebPlatform } from '../../sim/web/platform/platform.ts'
import type { Platform } from '../../sim/world/platform.ts'

/** The platform of a browser with the event loop of Node: everything of it but `turns.ts`. */
export function webPlatformOnNode(): Platform {
  return createWebPlatform({
    pump: (step, pause) => pump(step, setImmediate, pause),
    onUnhandled: () => () => undefined,
  })
}
