/**
 * One small, natural mistake in the program that makes one statement of the specification untrue, so that a test that
 * claims the statement must fail. `find` is exact text of a source file and stands there once; `replace` takes its
 * place.
 */
export interface Breakage {
  /** The statement's ID as test titles carry it in brackets: `ACL-035`. */
  readonly id: string
  /** Below the project's folder: `src/features/kv/routes.ts`. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** The area of a statement, the first part of its ID: `ACL`. */
export function areaOf({ id }: Breakage): string {
  return id.slice(0, id.indexOf('-'))
}

/** Whether the statement is among those asked for: areas (`ACL`) and IDs (`ACL-035`), divided by commas. */
export function isAskedFor(breakage: Breakage, asked: string): boolean {
  return asked.split(',').some((wanted) => wanted === breakage.id || wanted === areaOf(breakage))
}
