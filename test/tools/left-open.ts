import { afterAll, expect } from 'vitest'

/**
 * Files of a project share workers, so a platform of the simulator that a file leaves open guards `Date` and the rest of
 * Node in the files that the worker takes next: one of them fails. This fails the file that left it open instead.
 */
const before = Date

afterAll(() => {
  expect(Date, 'this file leaves a platform of the simulator open').toBe(before)
})
