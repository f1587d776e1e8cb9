import type { ClientProcess } from './client-process.ts'
import type { FakeService } from './fake-service.ts'

/** What a case works with: a fake service, and the client under test, connecting to it. */
export interface Stage {
  service: FakeService
  client: ClientProcess
}

export interface ClientCase {
  /** States what a conforming client does. */
  title: string
  /** @throws CaseFailure that says what the client did instead. */
  run: (stage: Stage) => Promise<void>
}
