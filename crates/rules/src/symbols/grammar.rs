//! Which nodes of which grammar define something, and which name it.

use super::outline::SymbolKind;
use ast_grep_language::SupportLang;

/// How a node defines something.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct DefinitionForm {
    pub(super) kind: SymbolKind,
    /// It counts only outside of functions: inside it is a local variable.
    pub(super) outside_functions: bool,
    /// What callers rely on ends where its body begins; else it is all of it.
    pub(super) has_body: bool,
}

const FUNCTION: DefinitionForm = DefinitionForm {
    kind: SymbolKind::Function,
    outside_functions: false,
    has_body: true,
};
const CLASS: DefinitionForm = DefinitionForm {
    kind: SymbolKind::Type,
    outside_functions: false,
    has_body: true,
};
/// A type whose members are what others rely on.
const DATA_TYPE: DefinitionForm = DefinitionForm {
    has_body: false,
    ..CLASS
};
const VALUE: DefinitionForm = DefinitionForm {
    kind: SymbolKind::Value,
    outside_functions: true,
    has_body: false,
};

/// What a node of this kind defines; none where it defines nothing.
pub(super) fn definition_form(language: SupportLang, kind: &str) -> Option<DefinitionForm> {
    use SupportLang as L;
    Some(match (language, kind) {
        (L::Rust, "function_item" | "function_signature_item" | "macro_definition") => FUNCTION,
        (L::Rust, "trait_item") => CLASS,
        (L::Rust, "struct_item" | "enum_item" | "union_item" | "type_item") => DATA_TYPE,
        (L::Rust, "const_item" | "static_item" | "enum_variant" | "field_declaration") => VALUE,
        (L::Python, "function_definition") => FUNCTION,
        (L::Python, "class_definition") => CLASS,
        (L::Python, "assignment") => VALUE,
        (L::JavaScript | L::TypeScript | L::Tsx, kind) => javascript_form(kind)?,
        (L::Go, "function_declaration" | "method_declaration") => FUNCTION,
        (L::Go, "method_elem" | "method_spec") => FUNCTION,
        (L::Go, "type_spec" | "type_alias") => DATA_TYPE,
        (L::Go, "const_spec" | "var_spec" | "field_declaration") => VALUE,
        (L::Java | L::CSharp, kind) => class_language_form(kind)?,
        (L::Kotlin | L::Swift, "function_declaration" | "protocol_function_declaration") => {
            FUNCTION
        }
        (L::Kotlin | L::Swift, "class_declaration" | "object_declaration") => CLASS,
        (L::Kotlin | L::Swift, "protocol_declaration") => CLASS,
        (L::Kotlin, "enum_entry" | "type_alias") => VALUE,
        (L::Scala, "function_definition" | "function_declaration") => FUNCTION,
        (L::Scala, "class_definition" | "object_definition" | "trait_definition") => CLASS,
        (L::Scala, "enum_definition") => DATA_TYPE,
        (L::Ruby, "method" | "singleton_method") => FUNCTION,
        (L::Ruby, "class" | "module") => CLASS,
        (L::Ruby, "assignment") => VALUE,
        (L::Php, "function_definition" | "method_declaration") => FUNCTION,
        (L::Php, "class_declaration" | "interface_declaration" | "trait_declaration") => CLASS,
        (L::Php, "enum_declaration") => DATA_TYPE,
        (L::Php, "const_element" | "enum_case") => VALUE,
        (L::C | L::Cpp, "function_definition" | "preproc_function_def") => FUNCTION,
        (L::C | L::Cpp, "preproc_def" | "enumerator") => VALUE,
        (L::C | L::Cpp, "type_definition" | "alias_declaration") => DATA_TYPE,
        // Without a body it is a use of the name.
        (L::C | L::Cpp, "struct_specifier" | "enum_specifier" | "union_specifier") => DATA_TYPE,
        (L::Cpp, "class_specifier") => DATA_TYPE,
        (L::Lua, "function_declaration") => FUNCTION,
        (L::Bash, "function_definition") => FUNCTION,
        _ => return None,
    })
}

fn javascript_form(kind: &str) -> Option<DefinitionForm> {
    Some(match kind {
        "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => FUNCTION,
        "class_declaration" | "abstract_class_declaration" => CLASS,
        "interface_declaration" | "type_alias_declaration" | "enum_declaration" => DATA_TYPE,
        "variable_declarator" | "public_field_definition" | "field_definition" => VALUE,
        "property_signature" => VALUE,
        _ => return None,
    })
}

fn class_language_form(kind: &str) -> Option<DefinitionForm> {
    Some(match kind {
        "method_declaration" | "constructor_declaration" | "local_function_statement" => FUNCTION,
        "class_declaration"
        | "interface_declaration"
        | "annotation_type_declaration"
        | "struct_declaration" => CLASS,
        "enum_declaration" | "record_declaration" | "delegate_declaration" => DATA_TYPE,
        "enum_constant"
        | "enum_member_declaration"
        | "property_declaration"
        | "variable_declarator" => VALUE,
        _ => return None,
    })
}

/// Kinds of nodes that C, and languages like it, define only with a body.
pub(super) fn needs_body(kind: &str) -> bool {
    kind.ends_with("_specifier")
}

/// Whether a name that is assigned to is one of the file's: what begins in lower case is a variable in Ruby.
pub(super) fn is_assigned_name(language: SupportLang, kind: &str) -> bool {
    language != SupportLang::Ruby || kind == "constant"
}

/// Whether a leaf of this kind is a name.
pub(super) fn is_name(kind: &str) -> bool {
    kind.ends_with("identifier") || matches!(kind, "constant" | "name" | "word")
}

/// Whether a name of this kind is one of a type.
pub(super) fn is_type_name(kind: &str) -> bool {
    kind == "type_identifier"
}

/// Whether names below such a node are brought in from elsewhere.
pub(super) fn is_import(kind: &str) -> bool {
    matches!(
        kind,
        "use_declaration"
            | "import_statement"
            | "import_from_statement"
            | "import_declaration"
            | "import_header"
            | "using_directive"
            | "namespace_use_declaration"
    )
}

/// Whether what such a node names is made or called, whatever follows the name.
pub(super) fn is_construction(kind: &str) -> bool {
    matches!(
        kind,
        "struct_expression"
            | "composite_literal"
            | "macro_invocation"
            | "new_expression"
            | "object_creation_expression"
            | "jsx_opening_element"
            | "jsx_self_closing_element"
            | "decorator"
            | "annotation"
            | "marker_annotation"
            | "command_name"
    )
}

/// Whether the definition begins with such a node around it.
pub(super) fn is_wrapper(kind: &str) -> bool {
    matches!(
        kind,
        "decorated_definition"
            | "export_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "type_declaration"
            | "const_declaration"
            | "var_declaration"
            | "expression_statement"
            | "template_declaration"
    )
}
