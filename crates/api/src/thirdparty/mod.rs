//! Foreign kinds the operator writes, reduced to the fields it uses.
