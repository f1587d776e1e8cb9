import { testProgram } from './test-programs.ts'

/** Returns a Python that has the libraries of the Python client and of the examples. */
export function python(): string {
  return testProgram('PYTHON')
}
