import type { Breakage } from '../breakage.ts'

/** Configuration files, flags and their defaults. */
export const configurationBreakages: readonly Breakage[] = [
  {
    id: 'CFG-016',
    file: 'src/config/parts/access.ts',
    find: 'enforceVersion8: file.acl_enforce_version_8 ?? defaults.enforceVersion8,',
    replace: 'enforceVersion8: defaults.enforceVersion8,',
  },
]
