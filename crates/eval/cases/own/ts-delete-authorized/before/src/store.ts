export interface Note {
  id: string;
  owner: string;
  text: string;
}

const notes = new Map<string, Note>();

export const findNote = (id: string): Note | undefined => notes.get(id);
export const saveNote = (note: Note): void => void notes.set(note.id, note);
export const removeNote = (id: string): boolean => notes.delete(id);
