import type { PersonStore } from '../../../domain/people/people.ts'
import type { Database } from '../database.ts'
import { removePerson } from './person-removal.ts'
import { personalRecords } from './personal-records.ts'

/** Everything kept about a person, across the tables of all other stores. */
export function sqlPeople(database: Database): PersonStore {
  return {
    remove: (userId, owned, nowMs) =>
      database.write({ row: `user ${userId}` }, () => removePerson(userId, owned, nowMs)),

    read: (userId) => database.read(() => personalRecords(userId)),
  }
}
